import { type Diagnostic, note, warning } from '../diagnostics/diagnostic.js'
import { isToolName, maxToolNameLength } from '../ir/tool-names.js'

import { own, type SchemaObject } from '../schema/json-schema.js'

/** Source of the tools of an import, in the words of messages. */
export interface ToolSource {
  /** E.g. `The server`. */
  readonly subject: string
  /** Fix for its problems, e.g. `Tell those who make the server`. */
  readonly fix: string
  /** Code with which a design renames a tool. */
  readonly rename: string
}

export type Side = 'arguments' | 'result'

/** Limit for the levels of a tool in a snapshot, whose text can have 200. */
export const maxLevels = 190

/** Returns a string that is not blank. */
export function textOf(object: SchemaObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** Reports arguments or a result with a schema that no design can have. Without arguments, there is no tool. */
export function unusableSide(side: Side, { fix }: ToolSource, name: string, reason: string): Diagnostic {
  const why = reason.endsWith('.') ? reason : `${reason}.`
  if (side === 'result') {
    const message = `The result of \`${name}\` may be any JSON, because its schema cannot be used: ${why}`
    return warning('TG6004', message, `${fix}.`)
  }
  const message = `\`${name}\` is left out, because its arguments cannot be described: ${why}`
  return warning('TG6003', message, `${fix}, or declare the tool by hand in a toolset of its own.`)
}

/** Reports a default that does not fit its own schema. */
export function defaultLeftOut({ fix }: ToolSource, name: string, misfit: string): Diagnostic {
  const next = `${fix}; without the field, whoever runs the tool takes a default of their own.`
  return warning('TG6013', `A default of \`${name}\` is left out: ${misfit}.`, next)
}

export function undescribed({ subject, fix }: ToolSource, name: string): Diagnostic {
  const message = `${subject} does not describe \`${name}\`; its title or name stands in for a description.`
  return warning('TG6005', message, `${fix}: models choose tools by what is said of them.`)
}

/**
 * Reports a tool that models see under another name.
 *
 * @param wanted name that models would see if it were legal and free
 */
export function renamed({ rename }: ToolSource, name: string, wanted: string, toolName: string): Diagnostic {
  let why = `\`${wanted}\` is longer than ${maxToolNameLength} characters`
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) why = 'its own name has characters that are not legal there'
  else if (isToolName(wanted)) why = 'another tool has that name already, or one that differs in case alone'
  const next = `Nothing, or give it another name where an agent uses it: \`${rename}\`.`
  return note('TG6006', `Models see \`${name}\` as \`${toolName}\`: ${why}.`, next)
}
