-- Whether a universe has any document: 1 or 0.  KEYS[1]: hash tag.

for _, name in ipairs(redis.call('SMEMBERS', KEYS[1] .. TABLES)) do
    if redis.call('EXISTS', KEYS[1] .. TABLE .. name) == 1 then return 1 end
end
return 0
