import { definitionsUsed } from '../schema/canonical/definitions-used.js'
import { isObject } from '../schema/json/json.js'
import type { Schema, SchemaObject } from '../schema/json/json-schema.js'
import { eachSubschema } from '../schema/json/keywords.js'
import { pointerOf } from '../schema/json/pointer.js'
import { CheckMaker } from './check-maker.js'
import type { CodecScope } from './codec-scope.js'
import { isDeep } from './declared-parts.js'
import { PickMaker } from './pick-maker.js'
import { type KnownIdentifiers, reachable } from './reachable.js'
import { WriteMaker } from './write-maker.js'

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
  readonly json?: string
  /** The picker, as an expression; absent where there is nothing to leave out, or the runtime has to find out what. */
  readonly pick?: string
  /** The names of checks of objects inside, by the pointers of their schemas. */
  readonly parts: readonly (readonly [pointer: string, name: string])[]
  /**
   * What this codec needs and none before it did, each a whole declaration; what is used stands before what uses it,
   * except in circles.
   */
  readonly declarations: readonly string[]
}

/** What the file gives to its functions. */
export type CompileOptions = Pick<CodecScope, 'defs' | 'stemOf' | 'words' | 'language'> & {
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
    const attempt = compileAll(sources, options, refused)
    // A definition may have been used, by way of itself, before it turned out that nothing can be made of it.
    const { checks, writers, pickers } = attempt.failed
    if (checks.size + writers.size + pickers.size === 0) return attempt.codecs
    refused = {
      checks: new Set([...refused.checks, ...checks]),
      writers: new Set([...refused.writers, ...writers]),
      pickers: new Set([...refused.pickers, ...pickers]),
    }
  }
}

/** Definitions for which nothing can be made. */
interface Refused {
  readonly checks: ReadonlySet<string>
  readonly writers: ReadonlySet<string>
  readonly pickers: ReadonlySet<string>
}

function compileAll(
  sources: readonly CodecSource[],
  options: CompileOptions,
  refused: Refused,
): { readonly codecs: readonly (CompiledSource | undefined)[]; readonly failed: Refused } {
  const taken = new Set(options.taken)
  const declared = new Map<string, string>()
  const places = new Map<string, number>()
  const placeOf = (name: string): number => places.get(name) ?? 0
  const known: KnownIdentifiers = new Map()
  const scope: CodecScope = {
    ...options,
    claim: (wanted) => claimed(wanted, taken),
    declare: (name, text) => {
      if (!places.has(name)) places.set(name, places.size)
      declared.set(name, text)
    },
  }
  const checks = new CheckMaker(scope, refused.checks)
  const writers = new WriteMaker(scope, refused.writers)
  const pickers = new PickMaker(scope, refused.pickers)
  const written = new Set<string>()
  const byDefinition = new Map<string, readonly Part[]>()
  const partsOfDefinition = (name: string): readonly Part[] => {
    const parts = byDefinition.get(name) ?? partsIn(options.defs[name] ?? true, ['$defs', name])
    byDefinition.set(name, parts)
    return parts
  }
  const codecs = sources.map(({ schema, stem, drops = false }): CompiledSource | undefined => {
    const is = checks.rootCheck(schema, stem)
    if (is === undefined) return undefined
    const json = writers.rootWriter(schema, stem)
    const pick = drops ? pickers.rootPicker(schema, stem) : undefined
    const used = reachable([is, json ?? '', pick ?? ''], declared, known)
    const fresh = [...used].filter((name) => !written.has(name)).sort((a, b) => placeOf(a) - placeOf(b))
    for (const name of fresh) written.add(name)
    const isOpen = [...used].some((name) => declared.get(name)?.includes(`${options.words.is}.any`))
    const all = [...partsIn(schema, []), ...definitionsUsed(schema, options.defs).flatMap(partsOfDefinition)]
    const parts = all.flatMap(([pointer, part]): readonly (readonly [string, string])[] => {
      const name = checks.functions.get(part)
      return name === undefined || !used.has(name) ? [] : [[pointer, name]]
    })
    return {
      is: isOpen || isDeep(schema, options.defs) ? `(v, m) => ${options.words.is}.shallow(v) && ${is}(v, m)` : is,
      ...(json === undefined ? {} : { json }),
      ...(pick === undefined ? {} : { pick }),
      parts,
      declarations: fresh.map((name) => declared.get(name) ?? ''),
    }
  })
  return { codecs, failed: { checks: checks.failed, writers: writers.failed, pickers: pickers.failed } }
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

/** A name that nothing in the file has, and that stays. */
function claimed(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`
  taken.add(name)
  return name
}
