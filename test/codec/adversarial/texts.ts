const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
/** Returns nested objects as JSON. */
export const nestedNext = (levels: number): string => `${'{"next":'.repeat(levels)}null${'}'.repeat(levels)}`
const row = '{"a":"row","b":1,"tag":"x","__proto__":{"polluted":true}}'

/** Texts that a codec must handle without an exception. */
export const hostileTexts: readonly string[] = [
  ...['0', 'false', 'null', '""', '[]', '{}', '1', '1.0', '1e2', '-0', '1.5', '1e300', '12345678901234567890'],
  ...[
    '1e999',
    '-1e400',
    '[1,-1e999]',
    '{"a":1e999}',
    '{"zz":1e999}',
    '9007199254740993',
    '0.1',
    '19.99',
    '0.35',
    '5e-324',
  ],
  ...[
    '"\\ud83d\\ud83d"',
    '"\\udca9"',
    '"💩"',
    '"💩💩"',
    '"\\u0000"',
    '"\u2028"',
    '"straße"',
    '"a-b.c"',
    '"2024-02-29"',
  ],
  ...['{"a":1,"a":"x"}', '{"a":"x","a":1}', '{"__proto__":1,"__proto__":{}}', '{"a":"x","b":"y","zz":[{"deep":1}]}'],
  ...[
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"toString":1,"valueOf":null}',
  ],
  ...[
    '{"constructor":"a","a":1}',
    '{"tag":"x","a":1}',
    '{"tag":"y","a":1}',
    '{"c":3.0,"a":[1e0,{"b":2}]}',
    '{"a":{"polluted":1}}',
  ],
  ...[
    '{"a":"2026-01-31T13:00:00+01:00","b":"7","c":"AP8="}',
    '{"a":"soon","b":"1e3","c":"AQ="}',
    '{"list":[{},{"b":2}]}',
  ],
  ...['[1,true,"1",[1],{"a":1},null,0,false,"",[],{}]', '[{"a":1,"b":2},3,{"b":2,"a":1.0}]', '[{"a":"x"},1,{"b":"y"}]'],
  ...[
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":}',
    '{"a":1,}',
    "{'a':1}",
    '[1,]',
    '01',
    'NaN',
    'undefined',
    '"\n"',
    '"\\x"',
    '\ufeff{}',
    '{}{}',
  ],
  ...[' \n\t{ "a" : "x" } \r', '{"":1}', '{"2":1,"1":2,"b":3}', '/* */1', '\u00a01'],
]

/** Long or deeply nested texts. */
export const largeTexts: readonly string[] = [
  ...[nested(499), nested(500), nested(501), nested(10_000), '['.repeat(100_000), '{"a":'.repeat(20_000)],
  ...[nestedNext(200), nestedNext(501), nestedNext(10_000)],
  ...[
    `[${Array(10_000).fill(row).join()}]`,
    `{"a":"${'x'.repeat(1_000_000)}"}`,
    JSON.stringify('\u{1f600}'.repeat(250_000)),
  ],
]
