import { eachSubschema, pointerOf } from '@toolgen/runtime/schema'
import { isObject, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { definitionsUsed } from '../schema/references.js'
import { CheckMaker } from './checks.js'
import type { CodecScope } from './codec-scope.js'
import { isDeep } from './parts.js'
import { PickMaker } from './pickers.js'
import { identifiersIn } from './scope.js'
import { WriteMaker } from './writers.js'

/** A schema of which a codec is made. */
export interface CodecSource {
  /** What functions are named after, e.g. `PlaceOrderArguments`. */
  readonly stem: string
  readonly schema: Schema
  /** Whether undeclared fields are left out of what is decoded; else a picker is not made. Default `false`. */
  readonly drops?: boolean
}

/** The generated functions of one codec. */
export interface CompiledSource {
  /** The check, as an expression. */
  readonly is: string
  /** The writer's name; absent where only the schema can tell what is declared. */
  readonly serialize?: string
  /** The picker, as an expression; absent where there is nothing to leave out, or the runtime has to find out what. */
  readonly strip?: string
  /** The names of checks of objects inside, by the pointers of their schemas. */
  readonly parts: readonly (readonly [pointer: string, name: string])[]
  /**
   * What this codec needs and none before it did, each a whole declaration; what is used stands before what uses it,
   * except in circles.
   */
  readonly declarations: readonly string[]
}

/** What the file gives to its functions. */
type CompileOptions = Pick<CodecScope, 'defs' | 'stemOf' | 'words' | 'language'> & {
  /** Names that the file has already. */
  readonly taken: readonly string[]
}

/**
 * Compiles schemas to checks, writers and pickers, in the order of the sources; `undefined` for one left to the
 * interpreter.
 */
export function compileCodecs(
  sources: readonly CodecSource[],
  options: CompileOptions,
): readonly (CompiledSource | undefined)[] {
  let refused: Refused = { checks: new Set(), writers: new Set(), pickers: new Set() }
  for (;;) {
    const { codecs, failed } = compileAll(sources, options, refused)
    // A definition may have been used, by way of itself, before it turned out that nothing can be made of it.
    if (failed === undefined) return codecs
    refused = {
      checks: new Set([...refused.checks, ...failed.checks]),
      writers: new Set([...refused.writers, ...failed.writers]),
      pickers: new Set([...refused.pickers, ...failed.pickers]),
    }
  }
}

/** Definitions for which nothing can be made. */
interface Refused {
  readonly checks: ReadonlySet<string>
  readonly writers: ReadonlySet<string>
  readonly pickers: ReadonlySet<string>
}

/** @returns the definitions that failed; then the codecs are of no use */
function compileAll(
  sources: readonly CodecSource[],
  options: CompileOptions,
  refused: Refused,
): { readonly codecs: readonly (CompiledSource | undefined)[]; readonly failed?: Refused } {
  const declared = new Map<string, string>()
  const locations = new Map<string, number>()
  const locationOf = (name: string): number => locations.get(name) ?? 0
  const known: KnownNames = new Map()
  const hasFailed = (): boolean => makers.some(({ uses }) => uses.hasFailed)
  const scope: CodecScope = {
    ...options,
    claim: names(options.taken),
    declare: (name, write) => {
      if (!locations.has(name)) locations.set(name, locations.size)
      // Nothing of an attempt is kept in which something failed.
      declared.set(name, hasFailed() ? '' : write())
    },
  }
  const checks = new CheckMaker(scope, refused.checks)
  const writers = new WriteMaker(scope, refused.writers)
  const pickers = new PickMaker(scope, refused.pickers)
  const makers = [checks, writers, pickers]
  const written = new Set<string>()
  /** Declarations that take any JSON. */
  const open = new Set<string>()
  const byDefinition = new Map<string, readonly Part[]>()
  const partsOfDefinition = (name: string): readonly Part[] => {
    const parts = byDefinition.get(name) ?? partsIn(options.defs[name] ?? true, ['$defs', name])
    byDefinition.set(name, parts)
    return parts
  }
  const codecs = sources.map(({ schema, stem, drops = false }): CompiledSource | undefined => {
    const is = checks.rootCheck(schema, stem)
    if (is === undefined) return undefined
    const serialize = writers.rootWriter(schema, stem)
    const strip = drops ? pickers.rootPicker(schema, stem) : undefined
    // All that is left to find out is what else fails.
    if (hasFailed()) return undefined
    const used = reachable([is, serialize ?? '', strip ?? ''], declared, known)
    const fresh = [...used].filter((name) => !written.has(name)).sort((a, b) => locationOf(a) - locationOf(b))
    for (const name of fresh) {
      written.add(name)
      if (declared.get(name)?.includes(`${options.words.is}.any`)) open.add(name)
    }
    const isOpen = [...used].some((name) => open.has(name))
    const all = [...partsIn(schema, []), ...definitionsUsed(schema, options.defs).flatMap(partsOfDefinition)]
    const parts = all.flatMap(([pointer, part]): readonly (readonly [string, string])[] => {
      const name = checks.functions.get(part)
      return name === undefined || !used.has(name) ? [] : [[pointer, name]]
    })
    return {
      is: isOpen || isDeep(schema, options.defs) ? `(v, m) => ${options.words.is}.shallow(v) && ${is}(v, m)` : is,
      ...(serialize === undefined ? {} : { serialize }),
      ...(strip === undefined ? {} : { strip }),
      parts,
      declarations: fresh.map((name) => declared.get(name) ?? ''),
    }
  })
  if (!hasFailed()) return { codecs }
  const failed = { checks: checks.uses.failed(), writers: writers.uses.failed(), pickers: pickers.uses.failed() }
  return { codecs, failed }
}

/** A schema inside another one, with its pointer in the codec's document. */
type Part = readonly [pointer: string, part: SchemaObject]

/** The schemas inside a schema, and the schema itself where keys lead to it. */
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

/** Gives names that nothing in the file has, and that stay. */
function names(given: readonly string[]): (wanted: string) => string {
  const taken = new Set(given)
  /** The number with which the last name ends that was wanted alike: those below are taken. */
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

/** The declarations that texts name, of texts that were read before: many expressions need the same declarations. */
type KnownNames = Map<string, readonly string[]>

/** The declarations that some expressions need, directly or through others. */
function reachable(
  expressions: readonly string[],
  declarations: ReadonlyMap<string, string>,
  known: KnownNames = new Map(),
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
