import { eachSubschema, pointerOf } from '@toolgen/runtime/schema'
import { isObject, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { definitionsUsed } from '../schema/references.js'
import { type CodecScope, type FunctionMaker, identifiersIn } from './code.js'
import { GuardMaker } from './guards.js'
import { isDeep } from './schema-reading.js'
import { SerializerMaker } from './serializers.js'
import { StripperMaker } from './strippers.js'

/** A schema from which a codec is made. */
export interface CodecSource {
  /** The stem of the names of functions, e.g. `PlaceOrderArguments`. */
  readonly stem: string
  readonly schema: Schema
  /** True if decoding leaves undeclared fields out; else no stripper is made. Default: false. */
  readonly drops?: boolean
}

/** The generated functions of one codec. */
export interface CompiledSource {
  /** The guard, as an expression. */
  readonly is: string
  /** The serializer's name; absent where only the schema can tell what is declared. */
  readonly serialize?: string
  /** The stripper, as an expression; absent if there is nothing to leave out, or if the runtime has to decide. */
  readonly strip?: string
  /** The names of guards of objects inside, by the pointers of their schemas. */
  readonly parts: readonly (readonly [pointer: string, name: string])[]
  /**
   * The declarations that this codec needs and none before it did, each before the ones that use it, except in cycles.
   */
  readonly declarations: readonly string[]
}

type CompileOptions = Pick<CodecScope, 'defs' | 'stemOf' | 'language'> & {
  /** Names that the file has already. */
  readonly taken: readonly string[]
}

/**
 * Compiles schemas to guards, serializers and strippers, in the order of the sources; `undefined` for one left to the
 * interpreter.
 */
export function compileCodecs(
  sources: readonly CodecSource[],
  options: CompileOptions,
): readonly (CompiledSource | undefined)[] {
  // Definitions for which no guard, serializer or stripper can be made.
  const refused = [new Set<string>(), new Set<string>(), new Set<string>()] as const
  for (;;) {
    const { codecs, makers } = compileAll(sources, options, refused)
    // A definition may have been used, by way of itself, before it turned out that nothing can be made of it.
    if (!makers.some(({ hasFailed }) => hasFailed)) return codecs
    makers.forEach((maker, index) => {
      for (const name of maker.failed()) refused[index]?.add(name)
    })
  }
}

/** Compiles all codecs; they are of no use where one of the makers has failed. */
function compileAll(
  sources: readonly CodecSource[],
  options: CompileOptions,
  refused: readonly [ReadonlySet<string>, ReadonlySet<string>, ReadonlySet<string>],
): { readonly codecs: readonly (CompiledSource | undefined)[]; readonly makers: readonly FunctionMaker[] } {
  const declared = new Map<string, string>()
  const order = new Map<string, number>()
  const hasFailed = (): boolean => makers.some((maker) => maker.hasFailed)
  const scope: CodecScope = {
    ...options,
    claim: uniqueNames(options.taken),
    declare: (name, write) => {
      if (!order.has(name)) order.set(name, order.size)
      // Nothing of an attempt is kept in which something failed.
      declared.set(name, hasFailed() ? '' : write())
    },
  }
  const guards = new GuardMaker(scope, refused[0])
  const serializers = new SerializerMaker(scope, refused[1])
  const strippers = new StripperMaker(scope, refused[2])
  const makers = [guards, serializers, strippers]
  const known: KnownNames = new Map()
  const written = new Set<string>()
  /** Declarations that accept any JSON. */
  const open = new Set<string>()
  const byDefinition = new Map<string, readonly Part[]>()
  const partsOfDefinition = (name: string): readonly Part[] => {
    const parts = byDefinition.get(name) ?? partsIn(options.defs[name] ?? true, ['$defs', name])
    byDefinition.set(name, parts)
    return parts
  }
  const codecs = sources.map(({ schema, stem, drops = false }): CompiledSource | undefined => {
    const is = guards.root(schema, stem)
    if (is === undefined) return undefined
    const serialize = serializers.root(schema, stem)
    const strip = drops ? strippers.root(schema, stem) : undefined
    // Only what else fails is still of interest.
    if (hasFailed()) return undefined
    const used = reachable([is, serialize ?? '', strip ?? ''], declared, known)
    const fresh = [...used]
      .filter((name) => !written.has(name))
      .sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    for (const name of fresh) {
      written.add(name)
      if (declared.get(name)?.includes('is.any')) open.add(name)
    }
    const isOpen = [...used].some((name) => open.has(name))
    const all = [...partsIn(schema, []), ...definitionsUsed(schema, options.defs).flatMap(partsOfDefinition)]
    const parts = all.flatMap(([pointer, part]): readonly (readonly [string, string])[] => {
      const name = guards.functions.get(part)
      return name === undefined || !used.has(name) ? [] : [[pointer, name]]
    })
    return {
      is: isOpen || isDeep(schema, options.defs) ? `(v, m) => is.shallow(v) && ${is}(v, m)` : is,
      ...(serialize === undefined ? {} : { serialize }),
      ...(strip === undefined ? {} : { strip }),
      parts,
      declarations: fresh.map((name) => declared.get(name) ?? ''),
    }
  })
  return { codecs, makers }
}

/** A schema inside another one, with its pointer in the codec's document. */
type Part = readonly [pointer: string, part: SchemaObject]

/** Returns the schemas inside a schema, and the schema itself if keys lead to it. */
function partsIn(schema: Schema, keys: readonly string[]): readonly Part[] {
  const found: Part[] = []
  const visit = (part: Schema, pointer: string): void => {
    if (!isObject(part)) return
    if (pointer !== '') found.push([pointer, part])
    eachSubschema(part, (inner, below) => visit(inner, pointer + pointerOf(below)))
  }
  visit(schema, pointerOf(keys))
  return found
}

/** Returns a function that gives names which nothing in the file has. */
function uniqueNames(reserved: readonly string[]): (wanted: string) => string {
  const taken = new Set(reserved)
  /** The number at the end of the last name for the same wish: those below are taken. */
  const last = new Map<string, number>()
  return (wanted) => {
    let number = last.get(wanted) ?? 1
    let name = number === 1 ? wanted : `${wanted}${number}`
    while (taken.has(name)) {
      number += 1
      name = `${wanted}${number}`
    }
    last.set(wanted, number)
    taken.add(name)
    return name
  }
}

/** The declarations that texts name, by text: many expressions need the same declarations. */
type KnownNames = Map<string, readonly string[]>

/** Returns the declarations that some expressions need, directly or through others. */
function reachable(
  expressions: readonly string[],
  declarations: ReadonlyMap<string, string>,
  known: KnownNames,
): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [...expressions]
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const names = known.get(text) ?? [...identifiersIn(text)].filter((name) => declarations.has(name))
    known.set(text, names)
    for (const name of names) {
      if (found.has(name)) continue
      found.add(name)
      waiting.push(declarations.get(name) ?? '')
    }
  }
  return found
}
