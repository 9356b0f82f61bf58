-- What takes two keys is refused while their slot is moved key by key, unless both are there: here before anything is done.
-- The first of these is nobody's.

local function settled(prefix)
    redis.call('EXISTS', prefix, prefix .. META)
end
