import { keyword, schemaObject } from '../evaluate/keywords.js'
import type { SchemaDocument } from '../evaluate/prepare.js'
import type { Located } from '../evaluate/references.js'
import { allSubschemas, inPlaceSubschemas } from '../evaluate/subschemas.js'
import type { Tags } from '../evaluate/tags.js'
import { type Fields, isFields } from '../json/kind.js'
import { NotStatic } from './not-static.js'

/** One way in which a value can satisfy a schema: all these schemas together, none of them a union. */
export interface Alternative {
  readonly conjuncts: readonly Located[]
  /** The literals of the fields that tell this alternative from the others. */
  readonly tags: Tags
  readonly kinds: readonly string[] | undefined
}

const undecided: readonly string[] = [
  'if',
  'then',
  'else',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
]

/**
 * The alternatives of a schema.
 *
 * @throws {NotStatic} where conditions declare fields, or several unions do.
 */
export function alternativesOf(located: Located, document: SchemaDocument): readonly Alternative[] {
  const { facts } = document
  const conjuncts = facts.conjuncts(located)
  if (conjuncts.some((conjunct) => hasUndecided(conjunct))) throw new NotStatic()
  const own = { conjuncts, tags: facts.tags(located), kinds: facts.admitted(located).kinds }
  const unions = conjuncts
    .flatMap((conjunct) => [facts.variants(conjunct, 'anyOf'), facts.variants(conjunct, 'oneOf')])
    .filter((variants) => variants.some((variant) => saysMoreThanRules(variant, declaredNames(conjuncts), document)))
  const [union, ...others] = unions
  if (union === undefined) return [own]
  if (others.length > 0) throw new NotStatic()
  return union.flatMap((variant) =>
    alternativesOf(variant, document).map((alternative) => ({
      conjuncts: [...conjuncts, ...alternative.conjuncts],
      tags: new Map([...own.tags, ...alternative.tags]),
      kinds: alternative.kinds ?? own.kinds,
    })),
  )
}

function hasUndecided({ schema }: Located): boolean {
  const fields = schemaObject(schema)
  return (
    fields !== undefined && undecided.some((name) => Object.hasOwn(fields, name) && declares(keyword(fields, name)))
  )
}

/** Whether a variant says which parts a value has, rather than only restricting parts declared elsewhere. */
function saysMoreThanRules(variant: Located, declared: ReadonlySet<string>, { facts }: SchemaDocument): boolean {
  const { kinds } = facts.admitted(variant)
  if (namesType(variant.schema)) return true
  if (kinds !== undefined && !kinds.includes('object') && !kinds.includes('array')) return false
  const isRule = facts.conjuncts(variant).every(({ schema }) => {
    const fields = schemaObject(schema)
    return fields === undefined || Object.keys(fields).every((name) => ['required', 'not'].includes(name))
  })
  return !isRule || !facts.requiredNames(variant).every((name) => declared.has(name))
}

function declaredNames(conjuncts: readonly Located[]): ReadonlySet<string> {
  const names = conjuncts.flatMap(({ schema }) => {
    const properties = keyword(schemaObject(schema) ?? {}, 'properties')
    return isFields(properties) ? Object.keys(properties) : []
  })
  return new Set(names)
}

/** Whether a schema, or a map of schemas, declares parts anywhere. */
function declares(schema: unknown): boolean {
  if (!isFields(schema)) return schema === false
  return hasDeclarations(schema) || Object.values(schema).some((part) => isFields(part) && declares(part))
}

/** Whether a schema names a JavaScript type for the value itself, in whatever part of it. */
function namesType(schema: unknown): boolean {
  if (!isFields(schema)) return false
  return keyword(schema, 'x-js') !== undefined || inPlaceSubschemas(schema).some(([part]) => namesType(part))
}

function hasDeclarations(schema: Fields): boolean {
  const names = ['properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems', 'required', '$ref']
  return (
    [...names, 'x-js'].some((name) => Object.hasOwn(schema, name)) ||
    allSubschemas(schema).some(([part]) => declares(part))
  )
}
