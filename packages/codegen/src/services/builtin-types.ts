import type { ts } from 'ts-morph'

/** Generated code can convert values of these types, but not of `other` built-in types. */
export type BuiltinName = 'Date' | 'Set' | 'Map' | 'URL' | 'Uint8Array' | 'Buffer' | 'Promise' | 'other'

const builtins: ReadonlyMap<string, BuiltinName> = new Map<string, BuiltinName>([
  ...(['Date', 'Set', 'Map', 'URL', 'Uint8Array', 'Buffer', 'Promise'] as const).map((name) => [name, name] as const),
  ['ReadonlySet', 'Set'],
  ['ReadonlyMap', 'Map'],
  ['PromiseLike', 'Promise'],
  // Containers that look like plain objects, but whose content is only accessible through methods.
  ...[
    ...['RegExp', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'WeakMap', 'WeakSet', 'Blob', 'File', 'FormData'],
    ...['Headers', 'Request', 'Response', 'ReadableStream', 'Iterable', 'Iterator', 'AsyncIterable', 'AsyncIterator'],
    ...['Generator', 'AsyncGenerator', 'Function', 'Symbol', 'AbortSignal', 'URLSearchParams', 'Intl'],
    ...['Int8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array'],
    ...['Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'],
  ].map((name) => [name, 'other'] as const),
])

export function builtinName(type: ts.Type, program: ts.Program): BuiltinName | undefined {
  const symbol = type.getSymbol()
  const name = symbol && builtins.get(symbol.name)
  if (name === undefined) return undefined
  const isBuiltin = symbol?.declarations?.some((declaration) => {
    const file = declaration.getSourceFile()
    return program.isSourceFileDefaultLibrary(file) || /[\\/]@types[\\/]node[\\/]/.test(file.fileName)
  })
  return isBuiltin === true ? name : undefined
}
