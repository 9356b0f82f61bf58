-- Whether a universe was taken by another since a lease with this token ('' for none) was given.

local function fenced(prefix, token)
    return token ~= '' and redis.call('HGET', prefix .. META, 'token') ~= token
end
