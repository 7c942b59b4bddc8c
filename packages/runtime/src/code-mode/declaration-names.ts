const keywords = new Set(
  'break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield await arguments eval'.split(
    ' ',
  ),
)

/** Names of values that the sandboxes and the checker's library declare. A namespace with one of these names would replace the value. */
const globals = new Set(
  'AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array InternalError Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly console decodeURI decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt program undefined unescape'.split(
    ' ',
  ),
)

/** Converts a name to a TypeScript identifier. */
export function identifier(name: string): string {
  const text = name.replaceAll(/[^\p{ID_Continue}$]+/gu, '_').replace(/^(?=[^\p{ID_Start}$_]|$)/u, '_')
  return keywords.has(text) ? `${text}_` : text
}

/** Converts the name of a toolset to an identifier that is not a global of programs. */
export function namespaceIdentifier(name: string): string {
  const text = identifier(name)
  return globals.has(text) ? `${text}_` : text
}

export function pascal(name: string): string {
  const words = identifier(name).split('_').filter(Boolean)
  return identifier(words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(''))
}

/** Returns the name, with a number if it is taken, and adds it to the taken names. */
export function unique(name: string, taken: Set<string>): string {
  let free = name
  for (let count = 2; taken.has(free); count += 1) free = `${name}${count}`
  taken.add(free)
  return free
}
