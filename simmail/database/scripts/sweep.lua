-- Remove a slice of the oldest events of a stream, and their postings.
--
-- KEYS[1]: hash tag.  ARGV: name of the stream after the tag, instant before which they go ('' for all), how many at most.
-- Answers how many went.

local prefix, stream = KEYS[1], KEYS[1] .. ARGV[1]
local before, most = ARGV[2], tonumber(ARGV[3])
local rows = redis.call('XRANGE', stream, '-', '+', 'COUNT', most)
local gone, floor, touched, mails = 0, 0, {}, {}

for _, row in ipairs(rows) do
    local fields = row[2]
    if before ~= '' and fields[4] >= before then break end
    gone = gone + 1
    floor = tonumber(string.match(row[1], '^%d+')) + 1
    touched[TYPE .. fields[2]] = true
    if fields[8] ~= '' then touched[PERSONA .. fields[8]] = true end
    if fields[10] ~= '' then touched[CASE .. fields[10]] = true end
    for at = 1, #(fields[12] or ''), 12 do mails[string.sub(fields[12], at, at + 11)] = true end
end

-- A posting is cut only when half of it is dead, so that cutting costs no more than writing did.
for name in pairs(touched) do
    local key = prefix .. name
    local length = posting_length(key)
    local place = posting_place(key, length, floor)
    if place == length then
        redis.call('UNLINK', key)
        redis.call('SREM', prefix .. POSTINGS, name)
    elseif place * 2 >= length then
        redis.call('SET', key, redis.call('GETRANGE', key, place * 6, -1))
    end
end

for mail in pairs(mails) do
    local known = redis.call('HGET', prefix .. MAILS, mail) or ''
    local place = 1
    while place < #known and struct.unpack('>I6', known, place) < floor do place = place + 6 end
    if place > #known then
        redis.call('HDEL', prefix .. MAILS, mail)
    elseif place > 1 then
        redis.call('HSET', prefix .. MAILS, mail, string.sub(known, place))
    end
end

if before == '' and #rows < most then
    redis.call('UNLINK', stream)
    if redis.call('EXISTS', prefix .. EVENTS) == 0 then redis.call('UNLINK', prefix .. POSTINGS) end
elseif gone > 0 then
    redis.call('XTRIM', stream, 'MINID', string.format('%d-0', floor))
end
if gone > 0 then
    local known = tonumber(redis.call('HGET', prefix .. META, 'floor') or 1)
    if floor > known then redis.call('HSET', prefix .. META, 'floor', string.format('%d', floor)) end
end
return gone
