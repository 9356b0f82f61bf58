-- The names of universes that have any document.  KEYS[1]: hash of universes by name, each with its hash tag.

local found = {}
local known = redis.call('HGETALL', KEYS[1])
for i = 1, #known, 2 do
    local prefix = known[i + 1]
    for _, name in ipairs(redis.call('SMEMBERS', prefix .. TABLES)) do
        if redis.call('EXISTS', prefix .. TABLE .. name) == 1 then
            found[#found + 1] = known[i]
            break
        end
    end
end
return found
