import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { isObject, type Json, own, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { operationLeftOut, selectsNothing, unnamedOperation } from './openapi-diagnostics.js'
import { objectAt, type PartKeys, partsUnder } from './openapi-references.js'

/** An operation of a document. */
export interface ApiOperationPart {
  /** Its `operationId`, else a name made of its method and its path. */
  readonly id: string
  /** E.g. `GET /pets/{id}`. */
  readonly shown: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly operation: SchemaObject
  /** The object around it, with what its operations have in common. */
  readonly item: SchemaObject
  /** Where they stand. */
  readonly keys: PartKeys
  readonly itemKeys: PartKeys
}

/** A finding, and the part of the document that it is about. */
export interface PartFinding {
  readonly finding: Diagnostic
  readonly keys: PartKeys
}

/** The methods that a request can have. */
const methods: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
/** Those that OpenAPI knows besides: `trace` no `fetch` sends, `query` is younger than most servers. */
const unsent: readonly string[] = ['trace', 'query']

/** Every operation of a document, in its order. */
export function operationsOf(root: SchemaObject): {
  readonly operations: readonly ApiOperationPart[]
  readonly findings: readonly PartFinding[]
} {
  const findings: PartFinding[] = []
  const paths = own(root, 'paths')
  const operations = partsUnder({ value: paths ?? {}, keys: ['paths'] }).flatMap((part) => {
    const path = String(part.keys[1])
    if (path.startsWith('x-')) return []
    const item = objectAt(root, part)
    if ('why' in item || !path.startsWith('/')) {
      const why = 'why' in item ? item.why : 'its path does not begin with `/`'
      findings.push({ finding: operationLeftOut(path, why), keys: part.keys })
      return []
    }
    findings.push(...unsentOperations(path, item))
    return methods.flatMap((method): readonly ApiOperationPart[] => {
      const operation = own(item.object, method)
      if (operation === undefined) return []
      const shown = `${method.toUpperCase()} ${path}`
      const keys = [...item.keys, method]
      if (!isObject(operation)) {
        findings.push({ finding: operationLeftOut(shown, 'it is no object'), keys })
        return []
      }
      const named = own(operation, 'operationId')
      const isNamed = typeof named === 'string' && named.trim() !== ''
      const id = isNamed ? named : madeName(method, path)
      if (!isNamed) findings.push({ finding: unnamedOperation(shown, id), keys })
      const said = own(operation, 'tags')
      const tags = Array.isArray(said) ? said.filter((tag): tag is string => typeof tag === 'string') : []
      const location = { keys, itemKeys: item.keys }
      return [{ id, shown, method: method.toUpperCase(), path, tags, operation, item: item.object, ...location }]
    })
  })
  return { operations, findings }
}

/** The findings about operations of methods that no request has; OpenAPI 3.2 has room for those of any name. */
function unsentOperations(
  path: string,
  { object, keys }: { readonly object: SchemaObject; readonly keys: PartKeys },
): readonly PartFinding[] {
  const more = partsUnder({ value: own(object, 'additionalOperations') ?? {}, keys: [...keys, 'additionalOperations'] })
  const named = unsent.filter((method) => own(object, method) !== undefined).map((method) => [...keys, method])
  return [...named, ...more.map((part) => part.keys)].map((at): PartFinding => {
    const shown = `${String(at.at(-1)).toUpperCase()} ${path}`
    return { finding: operationLeftOut(shown, 'toolgen sends no requests of this method'), keys: at }
  })
}

/** `GET /pets/{id}/toys` → `get_pets_by_id_toys`. */
function madeName(method: string, path: string): string {
  const words = path.replace(/\{([^{}]*)\}/g, 'by_$1').split(/[^\p{L}\p{N}]+/u)
  return [method, ...words.filter((word) => word !== '')].join('_')
}

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
