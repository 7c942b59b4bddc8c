import { type Diagnostic, note } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { isObject, objectOf, own, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { isImported } from './imported-files.js'
import { operationLeftOut, type PartDiagnostic } from './openapi-diagnostics.js'
import { objectAt, type PartKeys, partsUnder } from './openapi-parts.js'
import { textOf } from './tool-source.js'

export interface ApiOperation {
  readonly id: string
  readonly shown: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly operation: SchemaObject
  readonly item: SchemaObject
  readonly keys: PartKeys
  readonly itemKeys: PartKeys
}

const methods: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
/** The function `fetch` cannot send `trace`, and few servers support `query`. */
const otherMethods: readonly string[] = ['trace', 'query']

export function operationsOf(root: SchemaObject): {
  readonly operations: readonly ApiOperation[]
  readonly diagnostics: readonly PartDiagnostic[]
} {
  const diagnostics: PartDiagnostic[] = []
  const leaveOut = (shown: string, why: string, keys: PartKeys): readonly ApiOperation[] => {
    diagnostics.push({ diagnostic: operationLeftOut(shown, why), keys })
    return []
  }
  const paths = partsUnder({ value: own(root, 'paths') ?? {}, keys: ['paths'] })
  const operations = paths.flatMap((part) => {
    const path = String(part.keys[1])
    if (path.startsWith('x-')) return []
    const item = objectAt(root, part)
    if ('why' in item) return leaveOut(path, item.why, part.keys)
    if (!path.startsWith('/')) return leaveOut(path, 'its path does not begin with `/`', part.keys)
    const additional = [...item.keys, 'additionalOperations']
    for (const keys of [
      ...otherMethods
        .filter((method) => own(item.object, method) !== undefined)
        .map((method) => [...item.keys, method]),
      ...Object.keys(objectOf(own(item.object, 'additionalOperations'))).map((method) => [...additional, method]),
    ]) {
      leaveOut(`${String(keys.at(-1)).toUpperCase()} ${path}`, 'toolgen does not support this method', keys)
    }
    return methods.flatMap((name): readonly ApiOperation[] => {
      const operation = own(item.object, name)
      if (operation === undefined) return []
      const [method, keys] = [name.toUpperCase(), [...item.keys, name]]
      const shown = `${method} ${path}`
      if (!isObject(operation)) return leaveOut(shown, 'it is not an object', keys)
      const written = own(operation, 'operationId')
      const isNamed = textOf(operation, 'operationId') !== undefined
      const id = isNamed ? String(written) : generatedId(name, path)
      if (!isNamed) {
        const message = `\`${shown}\` has no \`operationId\`; it is imported as \`${id}\`.`
        const next = 'Optional: add an `operationId`, so that the name of the tool stays the same if the path changes.'
        diagnostics.push({ diagnostic: note('TG6204', message, next), keys })
      }
      const tags = stringsOf(operation, 'tags')
      return [{ id, shown, method, path, tags, operation, item: item.object, keys, itemKeys: item.keys }]
    })
  })
  return { operations, diagnostics }
}

function generatedId(method: string, path: string): string {
  const words = path.replace(/\{([^{}]*)\}/g, 'by_$1').split(/[^\p{L}\p{N}]+/u)
  return [method, ...words.filter((word) => word !== '')].join('_')
}

/** Selects each operation that matches a tag, path or id. An empty filter selects all operations. */
export interface OperationSelection {
  readonly tags: readonly string[]
  /** Complete paths, or path prefixes that end with `*`. */
  readonly paths: readonly string[]
  readonly operations: readonly string[]
}

export function selected(
  operations: readonly ApiOperation[],
  { tags, paths, operations: ids }: OperationSelection,
): { readonly operations: readonly ApiOperation[]; readonly diagnostics: readonly Diagnostic[] } {
  const rules = [
    ...tags.map((value) => ({ option: 'tag', value, namesOf: (api: ApiOperation) => api.tags })),
    ...paths.map((value) => ({ option: 'path', value, namesOf: (api: ApiOperation) => [api.path] })),
    ...ids.map((value) => ({ option: 'operation', value, namesOf: (api: ApiOperation) => [api.id] })),
  ].map((rule) => {
    const isStart = rule.option === 'path' && rule.value.endsWith('*')
    const isMatch = (name: string): boolean =>
      isStart ? name.startsWith(rule.value.slice(0, -1)) : name === rule.value
    return { ...rule, isSelected: (api: ApiOperation) => rule.namesOf(api).some(isMatch) }
  })
  if (rules.length === 0) return { operations, diagnostics: [] }
  const diagnostics = rules
    .filter(({ isSelected }) => !operations.some(isSelected))
    .map(({ option, value, namesOf }) => {
      const known = [...new Set(operations.flatMap(namesOf))]
      const more = known.length > 20 ? `, and ${known.length - 20} more` : ''
      const others =
        known.length > 0
          ? `Known values: ${known.slice(0, 20).join(', ')}${more}.`
          : `The document has no ${option}s: remove --${option}, or select with another option.`
      const message = `\`--${option} ${value}\` matches no operation of the document.`
      return unknownNameAt(undefined, 'TG0001', message, value, known, others)
    })
  return { operations: operations.filter((api) => rules.some(({ isSelected }) => isSelected(api))), diagnostics }
}

export function readSnapshot(text: string | undefined): {
  readonly snapshot: SchemaObject | undefined
  readonly from: string | undefined
  readonly select: OperationSelection
} {
  const json: unknown = text === undefined || !isImported(text) ? undefined : JSON.parse(text)
  const snapshot = isObject(json) ? json : undefined
  const { from, select } = snapshot ?? {}
  const [tags = [], paths = [], operations = []] = ['tags', 'paths', 'operations'].map((key) =>
    stringsOf(objectOf(select), key),
  )
  return { snapshot, from: typeof from === 'string' ? from : undefined, select: { tags, paths, operations } }
}
