import type { ts } from 'ts-morph'
import type { TypeReader } from './type-reader.js'

// The compiler makes these types for itself; its declarations do not name the functions.

/** A union; where the compiler does not make one, the given type, which then asks for a mapper. */
export function unionOf(types: readonly ts.Type[], otherwise: ts.Type, { checker }: TypeReader): ts.Type {
  const [only, ...others] = types
  if (only !== undefined && others.length === 0) return only
  const make = 'getUnionType' in checker ? checker.getUnionType : undefined
  return typeof make === 'function' ? make.call(checker, types) : otherwise
}

/** A list of such items; where the compiler does not make one, the given type, which then asks for a mapper. */
export function listOf(item: ts.Type, otherwise: ts.Type, { checker }: TypeReader): ts.Type {
  const make = 'createArrayType' in checker ? checker.createArrayType : undefined
  return typeof make === 'function' ? make.call(checker, item) : otherwise
}
