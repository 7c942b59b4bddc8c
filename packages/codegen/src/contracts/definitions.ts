import { parsePointer, pointerOf } from '@toolgen/runtime/schema'
import type { Installed } from '../dev/installed-runtime.js'
import { type Defs, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { type NoteChange, notesChanged } from '../schema/notes.js'
import { definitionsUsed, refName } from '../schema/references.js'
import { byCodePoint } from '../text.js'
import { DecoderPool } from './decoder.js'
import { type Inclusion, inclusionOf } from './inclusion.js'
import type { Prover } from './prove-parts.js'
import { sameSchema } from './same-schema.js'
import { schemaAt, schemaOf, schemasAt } from './schema-parts.js'
import { type SchemaMismatches, type WitnessedMismatch, withWitnesses } from './witness.js'

export interface Codecs {
  readonly payload: Installed
  readonly result: Installed
}

export interface DefinitionLocation {
  readonly name: string
  readonly pointer: string
}

/** Caches comparisons, because several tools use the same definition. */
export class Definitions {
  readonly payload: Comparisons
  readonly result: Comparisons
  readonly noteChanges: (before: Schema, after: Schema) => readonly NoteChange[]
  readonly #before: Defs
  readonly after: Defs
  readonly #same = new Map<string, boolean>()

  constructor(before: Defs, after: Defs, codecs: Codecs | undefined) {
    this.#before = before
    this.after = after
    this.payload = comparisonsOf(before, after, 'known', codecs?.payload)
    this.result = comparisonsOf(before, after, 'any', codecs?.result)
    this.noteChanges = noteChangesOf(before, after)
  }

  locationAt(before: Schema, after: Schema, pointer: string): DefinitionLocation | undefined {
    const [from, to] = [definitionAt(before, pointer, this.#before), definitionAt(after, pointer, this.after)]
    return from?.name === to?.name && from?.pointer === to?.pointer ? from : undefined
  }

  isSame(before: Schema, after: Schema): boolean {
    return sameSchema(before, after, { source: this.#before, target: this.after, same: this.#same })
  }
}

export interface Comparisons {
  /** Finds values of the earlier schema that the current schema may reject. */
  readonly narrowed: Comparison
  /** Finds values of the current schema that the earlier schema may reject. */
  readonly widened: Comparison
}

interface Comparison {
  readonly mismatches: Inclusion
  readonly withWitnesses: (mismatches: SchemaMismatches) => readonly WitnessedMismatch[]
}

export function comparisonsOf(
  before: Defs,
  after: Defs,
  fields: Prover['fields'],
  makeCodec: Installed | undefined,
): Comparisons {
  const [old, recent] = [before, after].map((defs) => makeCodec && new DecoderPool(defs, makeCodec))
  const comparison = (from: Defs, to: Defs, source?: DecoderPool, target?: DecoderPool): Comparison => ({
    mismatches: inclusionOf({ source: from, target: to, fields }),
    withWitnesses: (mismatches) =>
      source && target ? withWitnesses(mismatches, { source, target, fields }) : mismatches.reported,
  })
  return { narrowed: comparison(before, after, old, recent), widened: comparison(after, before, recent, old) }
}

function definitionAt(schema: Schema, pointer: string, defs: Defs): DefinitionLocation | undefined {
  const keys = parsePointer(pointer) ?? []
  const [first, name, ...inner] = keys
  // Pointers of annotations already begin with a definition.
  if (first === '$defs' && name !== undefined) return { name, pointer: pointerOf(inner) }
  return innermost(schema, keys, defs)
}

function innermost(schema: Schema, keys: readonly string[], defs: Defs): DefinitionLocation | undefined {
  if (typeof schema === 'boolean') return undefined
  const name = refName(own(schema, '$ref'))
  const target = name === undefined ? undefined : own(defs, name)
  if (name !== undefined && target !== undefined) {
    return innermost(target, keys, defs) ?? { name, pointer: pointerOf(keys) }
  }
  for (const part of schemasAt(schema, 'allOf') ?? []) {
    const found = innermost(part, keys, defs)
    if (found !== undefined) return found
  }
  const step = stepInto(schema, keys)
  return step && innermost(step.part, step.keys, defs)
}

function stepInto(
  schema: SchemaObject,
  [keyword = '', key, ...left]: readonly string[],
): { readonly part: Schema; readonly keys: readonly string[] } | undefined {
  if (keyword === 'items' || keyword === 'additionalProperties') {
    const part = schemaAt(schema, keyword)
    return part === undefined ? undefined : { part, keys: key === undefined ? [] : [key, ...left] }
  }
  const part = ['anyOf', 'oneOf', 'prefixItems'].includes(keyword)
    ? schemasAt(schema, keyword)?.[Number(key)]
    : ['properties', 'patternProperties'].includes(keyword)
      ? schemaOf(schema, keyword, key ?? '')
      : undefined
  return part === undefined ? undefined : { part, keys: left }
}

function noteChangesOf(before: Defs, after: Defs): Definitions['noteChanges'] {
  const changed = Object.keys(before)
    .filter((name) => Object.hasOwn(after, name))
    .sort(byCodePoint)
    .map((name) => ({ name, changes: notesChanged(before[name], after[name], `/$defs${pointerOf([name])}`) }))
    .filter(({ changes }) => changes.length > 0)
  return (from, to) => {
    const found = notesChanged(from, to, '')
    if (changed.length === 0) return found
    const [old, recent] = [new Set(definitionsUsed(from, before)), new Set(definitionsUsed(to, after))]
    return [
      ...found,
      ...changed.filter(({ name }) => old.has(name) && recent.has(name)).flatMap(({ changes }) => changes),
    ]
  }
}
