-- A page of jobs in (due, id) order that are in all of some scopes.
--
-- KEYS[1]: hash tag.  ARGV: place after which to begin ('' for the first), limit, number of candidates to look at, scopes.
-- Answers {place to go on after or '', place, job, place ...}.

local prefix, from = KEYS[1], ARGV[1]
local limit, budget = tonumber(ARGV[2]), tonumber(ARGV[3])
local order = prefix .. ORDER

-- The scope with the fewest jobs leads; the others are asked whether they have one.
local lead, fewest
for i = 4, #ARGV do
    local count = redis.call('ZLEXCOUNT', order, '(' .. ARGV[i] .. '\0' .. from, '(' .. ARGV[i] .. '\1')
    if not fewest or count < fewest then lead, fewest = ARGV[i], count end
end

local answer = {''}
-- Octets of one answer.
local room = 2 * 1024 * 1024
while true do
    local block = math.min(budget, #ARGV == 4 and limit or 256)
    local rows = redis.call('ZRANGEBYLEX', order, '(' .. lead .. '\0' .. from, '(' .. lead .. '\1', 'LIMIT', 0, block)
    for _, row in ipairs(rows) do
        from = string.sub(row, #lead + 2)
        local fits = true
        for i = 4, #ARGV do
            if ARGV[i] ~= lead and not redis.call('ZSCORE', order, ARGV[i] .. '\0' .. from) then
                fits = false
                break
            end
        end
        if fits then
            answer[#answer + 1] = from
            local job = redis.call('HGET', prefix .. JOBS, string.sub(from, 19))
            answer[#answer + 1] = job
            limit = limit - 1
            if limit == 0 then return answer end
            room = room - #job
            if room <= 0 then
                answer[1] = from
                return answer
            end
        end
    end
    if #rows < block then return answer end
    budget = budget - #rows
    if budget == 0 then
        answer[1] = from
        return answer
    end
end
