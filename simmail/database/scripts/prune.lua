-- Remove a slice of the finished jobs that were due before an instant.
--
-- KEYS[1]: hash tag.  ARGV: instant, how many at most.  Answers how many went.

local prefix, before, most = KEYS[1], ARGV[1], tonumber(ARGV[2])
local gone = 0
for _, state in ipairs({'done', 'failed', 'skipped'}) do
    local scope = 's' .. state .. '\0'
    local rows = redis.call(
        'ZRANGEBYLEX', prefix .. ORDER, '[' .. scope, '(' .. scope .. before, 'LIMIT', 0, most - gone)
    for _, row in ipairs(rows) do
        drop_job(prefix, string.sub(row, #scope + 19))
        gone = gone + 1
    end
end
return gone
