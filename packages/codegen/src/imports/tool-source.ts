import { type Diagnostic, note, warning } from '../diagnostics/diagnostic.js'
import { isToolName, maxToolNameLength } from '../ir/tool-names.js'
import { own, type SchemaObject } from '../schema/json-schema.js'

export interface ToolSource {
  readonly subject: string
  /** Sentence without its period, for example `Report the problem to the authors of the server`. */
  readonly fix: string
  /** Code such as `fromMcp(toolset, { rename: { tool: "name" } })`. */
  readonly rename: string
}

export type Side = 'arguments' | 'result'

/** Lower than the limit of 200 levels for a snapshot, because the snapshot contains the definition. */
export const maxLevels = 190

export function textOf(object: SchemaObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

export function unusableSide(side: Side, { fix }: ToolSource, name: string, reason: string): Diagnostic {
  const why = reason.endsWith('.') ? reason : `${reason}.`
  if (side === 'result') {
    const message = `The result of \`${name}\` can be any JSON, because its schema is not supported: ${why}`
    return warning('TG6004', message, `${fix}.`)
  }
  const message = `\`${name}\` is not imported, because the schema of its arguments is not supported: ${why}`
  return warning('TG6003', message, `${fix}, or declare the tool by hand in another toolset.`)
}

export function defaultLeftOut({ fix }: ToolSource, name: string, misfit: string): Diagnostic {
  const next = `${fix}. If a call omits the field, the service uses its own default.`
  return warning('TG6013', `A default of \`${name}\` is dropped: ${misfit}.`, next)
}

export function undescribed({ subject }: ToolSource, name: string, fix: string = describeFix): Diagnostic {
  const message = `${subject} has no description of \`${name}\`. Its title or name is used instead.`
  return warning('TG6005', message, `${fix}: models choose tools by their descriptions.`)
}

const describeFix = 'Set its `description` in the options of `importedToolset`'

export function renamed({ rename }: ToolSource, name: string, wanted: string, toolName: string): Diagnostic {
  let why = `\`${wanted}\` is longer than ${maxToolNameLength} characters`
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) why = 'its name contains characters that are not valid for models'
  else if (isToolName(wanted)) why = 'another tool already has this name, perhaps in another case'
  const next = `Optional: rename the tool where an agent uses the toolset: \`${rename}\`.`
  return note('TG6006', `The name of \`${name}\` for models is \`${toolName}\`: ${why}.`, next)
}
