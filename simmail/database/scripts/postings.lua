-- Postings: strings of ascending event numbers, six octets each.

local function posting_length(key)
    return redis.call('STRLEN', key) / 6
end

-- The number at a place (from 0).
local function posting_at(key, place)
    return (struct.unpack('>I6', redis.call('GETRANGE', key, place * 6, place * 6 + 5)))
end

-- The first place whose number is not less than one given; the length when there is none.
local function posting_place(key, length, number)
    local low, high = 0, length
    while low < high do
        local middle = math.floor((low + high) / 2)
        if posting_at(key, middle) < number then low = middle + 1 else high = middle end
    end
    return low
end
