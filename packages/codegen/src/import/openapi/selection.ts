import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { isObject, stringsOf } from '../../schema/json/json.js'
import type { Json } from '../../schema/json/json-schema.js'
import { selectsNothing } from './openapi-diagnostics.js'
import type { ApiOperationPart } from './operations.js'

/** Which operations of a document are wanted: those that one of the three names. Nothing named: all. */
export interface OperationSelection {
  readonly tags: readonly string[]
  /** Whole paths, or their beginnings with `*` at the end. */
  readonly paths: readonly string[]
  /** By `operationId`, or the name that stands for one. */
  readonly operations: readonly string[]
}

/** The operations that are wanted, and an error for each part of the selection that names none. */
export function selected(
  operations: readonly ApiOperationPart[],
  { tags, paths, operations: ids }: OperationSelection,
): { readonly operations: readonly ApiOperationPart[]; readonly diagnostics: readonly Diagnostic[] } {
  const rules = [
    ...tags.map((given) => ({ option: 'tag', given, fits: (one: ApiOperationPart) => one.tags.includes(given) })),
    ...paths.map((given) => ({ option: 'path', given, fits: ({ path }: ApiOperationPart) => fitsPath(path, given) })),
    ...ids.map((given) => ({ option: 'operation', given, fits: ({ id }: ApiOperationPart) => id === given })),
  ]
  if (rules.length === 0) return { operations, diagnostics: [] }
  const known = {
    tag: operations.flatMap((one) => one.tags),
    path: operations.map(({ path }) => path),
    operation: operations.map(({ id }) => id),
  }
  return {
    operations: operations.filter((one) => rules.some(({ fits }) => fits(one))),
    diagnostics: rules
      .filter(({ fits }) => !operations.some(fits))
      .map(({ option, given }) =>
        selectsNothing(option, given, [
          ...new Set(known[option === 'tag' || option === 'path' ? option : 'operation']),
        ]),
      ),
  }
}

function fitsPath(path: string, given: string): boolean {
  return given.endsWith('*') ? path.startsWith(given.slice(0, -1)) : path === given
}

/** The selection that a snapshot names; everything where it names none. */
export function recordedSelection(select: Json | undefined): OperationSelection {
  const said = isObject(select) ? select : {}
  return { tags: stringsOf(said, 'tags'), paths: stringsOf(said, 'paths'), operations: stringsOf(said, 'operations') }
}

/** A selection as a snapshot names it; `undefined` where it leaves nothing out. */
export function writtenSelection(selection: OperationSelection): Json | undefined {
  const named = Object.entries(selection).filter(([, names]) => names.length > 0)
  return named.length === 0 ? undefined : Object.fromEntries(named)
}
