import type { Agent, Toolset, ToolsetUse } from '@toolgen/dsl'
import { type Diagnostic, errorAt, type SourceLocation } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import type { Locations } from '../load/source-positions.js'
import { defaultToolName, isToolName, maxToolNameLength } from './tool-names.js'
import type { FailureIr } from './types.js'

export function useNameErrors(
  use: ToolsetUse,
  locationOf: (...path: readonly (string | number)[]) => SourceLocation,
): readonly Diagnostic[] {
  const known = Object.keys(use.toolset.tools)
  const options = { rename: use.rename, tools: 'tools' in use ? use.tools : undefined }
  const named = [
    ...(use.only ?? []).map((tool, index) => ({ field: 'only', tool, location: locationOf('only', index) })),
    ...Object.entries(options).flatMap(([field, byTool = {}]) =>
      Object.keys(byTool).map((tool) => ({ field, tool, location: locationOf(field, tool) })),
    ),
  ]
  const message = `The use of \`${use.toolset.name}\` selects no tools: \`only\` is empty.`
  const next = 'Add tools to `only`, remove `only` to use all tools, or remove the use.'
  return [
    ...(use.only?.length === 0 ? [errorAt(locationOf('only'), 'TG2024', message, next)] : []),
    ...named.flatMap(({ field, tool, location }): readonly Diagnostic[] => {
      if (!known.includes(tool)) return [unknownTool(field, tool, use.toolset.name, known, location)]
      if (use.only === undefined || use.only.includes(tool)) return []
      return [
        {
          code: 'TG2023',
          severity: 'warning',
          message: `\`${field}\` has an entry for \`${tool}\`, which \`only\` does not include. The entry has no effect.`,
          location,
          next: `Add \`${tool}\` to \`only\`, or remove the entry from \`${field}\`.`,
        },
      ]
    }),
  ]
}

export function unknownTool(
  field: string,
  tool: string,
  toolset: string,
  known: readonly string[],
  location: SourceLocation,
): Diagnostic {
  const message = `\`${field}\` contains \`${tool}\`, which is not a tool of the toolset \`${toolset}\`.`
  return unknownNameAt(location, 'TG2022', message, tool, known, `Known tools: ${known.join(', ')}.`)
}

export function toolNameErrors(name: string, tool: string, locationOf: () => SourceLocation): readonly Diagnostic[] {
  if (isToolName(name)) return []
  const message = `The tool name \`${name}\` of \`${tool}\` is not valid for models.`
  const next = `Use at most ${maxToolNameLength} of the characters A to Z, a to z, 0 to 9, \`_\` and \`-\`.`
  return [errorAt(locationOf(), 'TG2020', message, next)]
}

/** The runtime uses these reasons for failed calls, so a declared failure must have another name. */
const builtInReasons: readonly string[] = [
  'missing_fields',
  'invalid_arguments',
  'unknown_tool',
  'denied',
  'domain_rejection',
  'rate_limited',
  'unavailable',
  'timeout',
  'malformed_result',
  'interrupted',
  'unknown_outcome',
  'cancelled',
  'internal',
]

export function isFailureName(name: string): boolean {
  return /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name) && !builtInReasons.includes(name)
}

export function failureNameErrors(name: string, locationOf: () => SourceLocation): readonly Diagnostic[] {
  if (builtInReasons.includes(name)) {
    const message = `\`${name}\` is a failure reason of the runtime, so a tool cannot declare a failure with this name.`
    return [errorAt(locationOf(), 'TG2053', message, 'Choose another name, for example `order_shipped`.')]
  }
  if (isFailureName(name)) return []
  const message = `The name \`${name}\` of a failure is not in snake_case.`
  return [
    errorAt(locationOf(), 'TG2053', message, 'Use lowercase letters, digits and `_`, for example `order_shipped`.'),
  ]
}

const statusNames: Readonly<Record<string, string>> = {
  400: 'bad_request',
  402: 'payment_required',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  413: 'content_too_large',
  422: 'unprocessable_content',
}

/**
 * The arguments of a call usually do not cause these HTTP statuses. A status such as 429 (too many requests) therefore does not become a failure of
 * the tool, and the runtime reports a reason such as `rate_limited`.
 */
const otherReasons: ReadonlySet<string> = new Set(
  '401 403 405 406 407 408 411 415 423 425 426 428 429 431 451'.split(' '),
)

export function statusFailures(
  errors: Readonly<Record<string, unknown>> = {},
  failures: readonly FailureIr[] = [],
  dropped: readonly string[] = [],
): Readonly<Record<string, string>> | undefined {
  const named = Object.keys(errors)
    .filter((status) => /^4\d\d$/.test(status) && !otherReasons.has(status))
    .map((status) => [status, statusNames[status] ?? `http_${status}`] as const)
    .filter(([, name]) => !dropped.includes(name))
    .filter(([status, name]) => failures.every((each) => each.name !== name && String(each.status) !== status))
  return named.length === 0 ? undefined : Object.fromEntries(named)
}

export interface AdvertisedTool {
  readonly as: string
  readonly tool: string
  readonly toolName: string
  readonly location: SourceLocation
}

export function toolNameClashes(
  agent: string,
  side: 'uses' | 'exports',
  tools: readonly AdvertisedTool[],
): readonly Diagnostic[] {
  const firsts = new Map<string, AdvertisedTool>()
  const names = new Set(tools.map(({ toolName }) => toolName))
  return tools.flatMap((tool) => {
    const first = firsts.get(tool.toolName)
    if (first === undefined) {
      firsts.set(tool.toolName, tool)
      return []
    }
    const proposal = freeName(defaultToolName(tool.as, tool.tool), names)
    names.add(proposal)
    const change =
      side === 'uses' ? `rename: { ${JSON.stringify(tool.tool)}: '${proposal}' }` : `toolName: '${proposal}'`
    const message = `Two tools in the ${side} of \`${agent}\` have the tool name \`${tool.toolName}\`: \`${first.as}.${first.tool}\` and \`${tool.as}.${tool.tool}\`.`
    return [
      errorAt(
        tool.location,
        'TG2021',
        message,
        `Rename one of the tools, e.g. \`${change}\`.`,
        firstAt(first.location),
      ),
    ]
  })
}

function firstAt(location: SourceLocation): Pick<Diagnostic, 'related'> {
  return { related: [{ message: 'The first definition is here.', location }] }
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let number = 2; taken.has(name); number += 1) {
    const ending = `_${number}`
    name = wanted.slice(0, maxToolNameLength - ending.length) + ending
  }
  return name
}

export function nameErrors(
  toolsets: readonly Toolset[],
  agents: readonly Agent[],
  locations: Locations,
): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const noName = (what: string, location: SourceLocation): Diagnostic =>
    errorAt(location, 'TG2006', `The name of this ${what} is empty.`, `Set a name.`)
  const twice = (code: string, message: string, location: SourceLocation, first: SourceLocation): Diagnostic =>
    errorAt(location, code, message, 'Rename one of them.', firstAt(first))
  const firsts = new Map<string, SourceLocation>()
  for (const value of [...toolsets, ...agents]) {
    const what = value['~toolgen']
    const location = locations.locationOf(value)
    if (value.name.trim() === '') found.push(noName(what, location))
    const first = firsts.get(`${what} ${value.name}`)
    const code = what === 'toolset' ? 'TG2010' : 'TG2011'
    if (first === undefined) firsts.set(`${what} ${value.name}`, location)
    else found.push(twice(code, `Two ${what}s are named \`${value.name}\`.`, location, first))
  }
  const ids = new Map<string, { readonly toolset: string; readonly location: SourceLocation }>()
  for (const toolset of toolsets) {
    const names = Object.keys(toolset.tools)
    if (names.length === 0) {
      const message = `The toolset \`${toolset.name}\` has no tools.`
      found.push(errorAt(locations.locationOf(toolset), 'TG2007', message, 'Add a tool, or remove the toolset.'))
    }
    for (const name of names) {
      const location = locations.locationOf(toolset, 'tools', name)
      if (name.trim() === '') found.push(noName('tool', location))
      const id = `${toolset.name}.${name}`
      const first = ids.get(id)
      if (first === undefined) ids.set(id, { toolset: toolset.name, location })
      else if (first.toolset !== toolset.name) {
        found.push(twice('TG2014', `Two tools have the id \`${id}\`.`, location, first.location))
      }
    }
  }
  return found
}

export function mcpNameErrors(toolset: Toolset, locations: Locations): readonly Diagnostic[] {
  const known = Object.keys(toolset.tools)
  return Object.keys(toolset.mcp?.names ?? {})
    .filter((tool) => !known.includes(tool))
    .map((tool) =>
      unknownTool('mcp.names', tool, toolset.name, known, locations.locationOf(toolset, 'mcp', 'names', tool)),
    )
}
