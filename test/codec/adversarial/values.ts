const noon = '2026-01-31T12:00:00.000Z'

class Row {
  /** Undeclared value of the instance. */
  readonly raw: unknown = { secret: true }

  get a(): string {
    return 'x'
  }
}

class Named {
  a = 'x'
  b = 'y'
}

function scalars(): Readonly<Record<string, unknown>> {
  return {
    zero: 0,
    'minus zero': -0,
    one: 1,
    half: 0.5,
    'three tenths': 0.1 + 0.2,
    'a huge number': 1e300,
    'above the exact whole numbers': 2 ** 53 + 2,
    infinity: Number.POSITIVE_INFINITY,
    'no number': Number.NaN,
    true: true,
    false: false,
    null: null,
    undefined: undefined,
    'no text': '',
    'a non-BMP character': '\u{1f4a9}',
    'two non-BMP characters': '\u{1f4a9}\u{1f4a9}',
    'lone surrogates': '\udca9\ud83d',
    'a hostile text': '\u2028\'"\\`${}*/</script>',
    'a moment': noon,
    'a date': '1999-01-31',
    'a number as text': '12',
    'a symbol': Symbol('s'),
    'a function': () => 1,
    'a function with fields': Object.assign(() => 1, { a: 'x' }),
    'a large bigint': 10n ** 2000n,
  }
}

function objects(): Readonly<Record<string, unknown>> {
  const shared = { a: 'x', b: 1 }
  const owner = { a: 'x' }
  return {
    'no fields': {},
    'a field': { a: 'x' },
    'two fields': { b: 'y', a: 'x' },
    'an unknown field': { a: 'x', zz: [{ deep: 1 }] },
    'a tagged object': { tag: 'x', b: 1 },
    'the inherited names as own fields': JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"polluted":true},"toString":{},"hasOwnProperty":1,"valueOf":null}',
    ),
    'a prototype as a field': JSON.parse('{"__proto__":1,"a":"x"}'),
    'a hostile tag': JSON.parse('{"constructor":"a","a":1}'),
    'numbers as names': { b: 1, 2: 2, a: 3, 1: 4, zz: 5 },
    'own undefined': { a: undefined, b: undefined, zz: undefined },
    'own undefined deep inside': { a: { b: undefined }, list: [{ a: undefined }] },
    'own undefined beside': { a: 'x', b: undefined },
    'an instance of a class': new Named(),
    'an instance whose class has a getter': new Row(),
    'an object without a prototype': Object.assign(Object.create(null), { a: 'x' }),
    'a field by inheritance': Object.create({ a: 'x', b: 'y' }),
    'a field by inheritance and an own one': Object.assign(Object.create({ a: 'x' }), { b: 'y' }),
    'a field with a symbol': { a: 'x', [Symbol('s')]: 1 },
    'a getter': {
      get a() {
        return 'x'
      },
    },
    'a getter that throws': {
      get a() {
        throw new Error('no')
      },
    },
    'a getter of an unknown field that throws': {
      a: 'x',
      get zz() {
        throw new Error('no')
      },
    },
    'a field toJSON': { a: 'x', toJSON: () => 'y' },
    'a map': new Map([['a', 'x']]),
    'a set': new Set(['a']),
    'a regular expression': /a/,
    'a boxed text': Object('text'),
    'a promise': Promise.resolve(1),
    'an error': new Error('no'),
    'a proxy': new Proxy({ a: 'x' }, {}),
    'a proxy that throws': new Proxy(
      {},
      {
        get: refuse,
        has: refuse,
        ownKeys: refuse,
        getPrototypeOf: refuse,
        getOwnPropertyDescriptor: refuse,
      },
    ),
    'a revoked proxy': revoked({}),
    'a shared part': { a: shared, b: shared, list: [shared, shared], next: owner },
    frozen: Object.freeze({ a: 'x', list: Object.freeze([Object.freeze({ a: 1 })]) }),
  }
}

function refuse(): never {
  throw new Error('no')
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function arrays(): Readonly<Record<string, unknown>> {
  return {
    'no items': [],
    numbers: [1, 2.0, 3],
    'values that seem equal': [1, true, '1', [1], { a: 1 }, null, 0, false, '', [], {}],
    'equal objects': [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }],
    'objects that differ in what is dropped': [
      { a: 'x', zz: 1 },
      { a: 'x', zz: 2 },
    ],
    'an item undefined': [undefined],
    'a sparse array': Object.assign([], { 3: 1 }),
    'a sparse array of a billion items': Object.assign([], { length: 4_000_000_000 }),
    'an array with a field': Object.assign([1], { a: 'x' }),
    'an array of a class': new (class extends Array {})(),
    'like an array': { length: 1, 0: 'x' },
    'a proxy of an array': new Proxy([1, 2], {}),
    'a revoked proxy of an array': revoked([]),
    'an array whose length is a lie': new Proxy([], {
      has: () => true,
      get: (_, key) => (key === 'length' ? 1e12 : 1),
    }),
    'an array that can be iterated and lies': new Proxy<unknown[]>([], {
      has: () => true,
      get: (target, key) => (key === 'length' ? 1e12 : typeof key === 'symbol' ? Reflect.get(target, key) : []),
    }),
    'a tuple': [{ a: 'x' }, 1, { b: 'y' }],
  }
}

function typed(): Readonly<Record<string, unknown>> {
  return {
    'a moment as a Date': new Date(noon),
    'an invalid date': new Date(Number.NaN),
    'a bigint': 5n,
    bytes: Uint8Array.of(1, 2, 255),
    'a Buffer': Buffer.from([1, 2]),
    'other typed arrays': new Uint16Array(2),
    'typed fields': { a: new Date(noon), b: -12345678901234567890n, c: Uint8Array.of(0, 255) },
    'typed fields as text': { a: '2026-01-31T13:00:00+01:00', b: '7', c: 'AP8=' },
    'typed fields of wrong types': { a: 5n, b: new Date(noon), c: new Uint16Array(2) },
    'typed fields without a wire form': { a: new Date(Number.NaN), b: 10n ** 2000n, c: 'AQ=' },
    'a leap second': { a: '2016-12-31T23:59:60Z', b: '-0', c: 'A' },
    'equal dates': [new Date(0), new Date(0)],
    'a map of bigints': JSON.parse('{"__proto__":"7","x":"8"}'),
    'a Date with fields': Object.assign(new Date(0), { a: 'x' }),
  }
}

function large(): Readonly<Record<string, unknown>> {
  const circle: Record<string, unknown> = { a: 'x' }
  circle.next = circle
  circle.list = [circle]
  const ring: unknown[] = []
  ring.push(ring)
  let list: unknown = []
  let tree: Record<string, unknown> = { next: null }
  let fork: unknown = []
  for (let level = 1; level < 10_000; level++) {
    list = [list]
    tree = { next: tree }
  }
  for (let level = 1; level < 12; level++) fork = [fork, fork]
  return {
    'a long name': { ['x'.repeat(10_000)]: 1 },
    'a megabyte of text': { a: 'x'.repeat(1_000_000), b: '\u{1f600}'.repeat(250_000) },
    'ten thousand objects': Array.from({ length: 10_000 }, (_, index) => ({ a: `row ${index}`, b: index })),
    'a value that contains itself': circle,
    'an array that contains itself': ring,
    'ten thousand arrays within each other': list,
    'ten thousand objects within each other': tree,
    'five hundred arrays within each other': JSON.parse('['.repeat(500) + ']'.repeat(500)),
    'five hundred and one arrays within each other': JSON.parse('['.repeat(501) + ']'.repeat(501)),
    'one array in many places': fork,
  }
}

/** JavaScript values that a codec must handle without an exception, with names. */
export const hostileValues: readonly (readonly [name: string, value: unknown])[] = Object.entries({
  ...scalars(),
  ...objects(),
  ...arrays(),
  ...typed(),
})

/** Long or deeply nested values, with names. */
export const largeValues: readonly (readonly [name: string, value: unknown])[] = Object.entries(large())
