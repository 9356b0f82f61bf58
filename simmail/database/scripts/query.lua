-- A page of events between bounds that are in one posting of each group.
--
-- KEYS[1]: hash tag.  ARGV: 'up' or 'down', low, high (numbers, both included), since, until (instants or ''), limit,
-- number of candidates to look at, digest of a Message-ID or '', then for each group the number of its postings and their names after the tag.
-- Answers {number to go on from or '', number, type, instant, tail, number ...}.

local prefix = KEYS[1]
local down = ARGV[1] == 'down'
local limit, budget = tonumber(ARGV[6]), tonumber(ARGV[7])
local meta = redis.call('HMGET', prefix .. META, 'last', 'floor')
local last = tonumber(meta[1] or 0)
local low = math.max(tonumber(ARGV[2]), tonumber(meta[2] or 1))
local high = math.min(tonumber(ARGV[3]), last)
local events = prefix .. EVENTS

local function text(number) return string.format('%d', number) end

-- The first number at or past an instant (strictly past it, when so asked); instants ascend with the numbers.
local function first_at(instant, strictly)
    local from, to = low, high + 1
    while from < to do
        local middle = math.floor((from + to) / 2)
        local row = redis.call('XRANGE', events, text(middle), '+', 'COUNT', 1)[1]
        if not row then
            to = middle
        else
            local at = row[2][4]
            if at > instant or (at == instant and not strictly) then
                to = middle
            else
                from = tonumber(string.match(row[1], '^%d+')) + 1
            end
        end
    end
    return from
end

if ARGV[4] ~= '' then low = math.max(low, first_at(ARGV[4], false)) end
if ARGV[5] ~= '' then high = math.min(high, first_at(ARGV[5], true) - 1) end

local answer = {''}
-- Octets of one answer: a page of long mails must not keep everybody else waiting.
local room = 2 * 1024 * 1024

local function take(row)
    local fields = row[2]
    answer[#answer + 1] = string.match(row[1], '^%d+')
    answer[#answer + 1] = fields[2]
    answer[#answer + 1] = fields[4]
    answer[#answer + 1] = fields[6]
    limit = limit - 1
    room = room - #fields[6]
end

if low > high then return answer end

if #ARGV == 8 and ARGV[8] == '' then
    local name = down and 'XREVRANGE' or 'XRANGE'
    while limit > 0 do
        local from, to = text(down and high or low), text(down and low or high)
        local count = math.min(limit, 64)
        local rows = redis.call(name, events, from, to, 'COUNT', count)
        for _, row in ipairs(rows) do
            if room <= 0 then
                answer[1] = string.match(row[1], '^%d+')
                return answer
            end
            take(row)
        end
        if #rows < count then return answer end
        local number = tonumber(answer[#answer - 3])
        if down then high = number - 1 else low = number + 1 end
        if low > high then return answer end
    end
    return answer
end

-- The group with the fewest numbers leads; the others are asked whether they have one.
local groups, lead = {}, nil
local i = 9
while i <= #ARGV do
    local group = {total = 0}
    for j = 1, tonumber(ARGV[i]) do
        local key = prefix .. ARGV[i + j]
        local length = posting_length(key)
        if length > 0 then
            group[#group + 1] = {key = key, length = length}
            group.total = group.total + length
        end
    end
    if #group == 0 then return answer end
    groups[#groups + 1] = group
    if not lead or group.total < lead.total then lead = group end
    i = i + tonumber(ARGV[i]) + 1
end

-- What tells of one mail is little, and leads.
if ARGV[8] ~= '' then
    local octets = redis.call('HGET', prefix .. MAILS, ARGV[8])
    if not octets then return answer end
    lead = {{octets = octets, length = #octets / 6}}
end

-- Each leading posting is read in blocks, from the bound on.
local BLOCK = 64

local function head(list)
    if list.place < 0 or list.place >= list.length then return nil end
    local begin = 0
    if list.key then
        local block = math.floor(list.place / BLOCK)
        begin = block * BLOCK
        if list.block ~= block then
            list.block = block
            list.octets = redis.call('GETRANGE', list.key, begin * 6, (begin + BLOCK) * 6 - 1)
        end
    end
    local number = struct.unpack('>I6', list.octets, (list.place - begin) * 6 + 1)
    if number < low or number > high then return nil end
    return number
end

for _, list in ipairs(lead) do
    local bound = down and high + 1 or low
    if list.key then
        list.place = posting_place(list.key, list.length, bound)
    else
        list.place = 0
        while list.place < list.length and struct.unpack('>I6', list.octets, list.place * 6 + 1) < bound do
            list.place = list.place + 1
        end
    end
    if down then list.place = list.place - 1 end
    list.head = head(list)
end

local function has(group, number)
    for _, list in ipairs(group) do
        local place = posting_place(list.key, list.length, number)
        if place < list.length and posting_at(list.key, place) == number then return true end
    end
    return false
end

while limit > 0 do
    local best
    for _, list in ipairs(lead) do
        if list.head and (not best or (down and list.head > best.head) or (not down and list.head < best.head)) then
            best = list
        end
    end
    if not best then return answer end
    local number = best.head
    if budget == 0 or room <= 0 then
        answer[1] = text(number)
        return answer
    end
    budget = budget - 1
    best.place = best.place + (down and -1 or 1)
    best.head = head(best)
    local fits = true
    for _, group in ipairs(groups) do
        if group ~= lead and not has(group, number) then
            fits = false
            break
        end
    end
    if fits then
        local row = redis.call('XRANGE', events, text(number), text(number))[1]
        if row then take(row) end
    end
end
return answer
