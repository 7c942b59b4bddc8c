import { deepEqual } from '@toolgen/runtime/schema'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { isToolName, maxToolNameLength } from '../ir/names.js'
import type { Json } from '../schema/json-schema.js'

/** Source of the tools of an import, in the words of messages. */
export interface ToolSource {
  /** E.g. `The server`. */
  readonly subject: string
  /** Fix for its problems, e.g. `Tell those who make the server`. */
  readonly fix: string
  /** Code with which a design renames a tool. */
  readonly rename: string
}

export function warning(code: string, message: string, next: string): Diagnostic {
  return { code, severity: 'warning', message, next }
}

export function note(code: string, message: string, next: string): Diagnostic {
  return { code, severity: 'note', message, next }
}

/** Limit for the levels of a tool in a snapshot, whose text can have 200. */
export const maxLevels = 190

/** Returns `true` if a value nests more levels than a limit. */
export function isDeeper(value: Json | undefined, levels: number): boolean {
  let inside = [value]
  for (let level = 0; inside.length > 0; level += 1) {
    const containers = inside.filter((each) => typeof each === 'object' && each !== null)
    if (containers.length > 0 && level === levels) return true
    inside = containers.flatMap((each) => Object.values(each))
  }
  return false
}

/** Reports a tool whose arguments no design can have. */
export function leftOut({ fix }: ToolSource, name: string, why: string): Diagnostic {
  const message = `\`${name}\` is left out, because its arguments cannot be described: ${sentenceEnd(why)}`
  return warning('TG6003', message, `${fix}, or declare the tool by hand in a toolset of its own.`)
}

/** Reports a result whose schema no design can have. */
export function unknownResult({ fix }: ToolSource, name: string, why: string): Diagnostic {
  const message = `The result of \`${name}\` may be any JSON, because its schema cannot be used: ${sentenceEnd(why)}`
  return warning('TG6004', message, `${fix}.`)
}

/** Reports a default that does not fit its own schema. */
export function defaultLeftOut({ fix }: ToolSource, name: string, misfit: string): Diagnostic {
  const next = `${fix}; without the field, whoever runs the tool takes a default of their own.`
  return warning('TG6013', `A default of \`${name}\` is left out: ${misfit}.`, next)
}

/** Reports a pattern that codecs cannot match. */
export function toolPatternLeftOut({ fix }: ToolSource, name: string, why: string): Diagnostic {
  const message = `A pattern of \`${name}\` is left out: ${sentenceEnd(why)}`
  return warning('TG6208', message, `${fix}, or nothing: whoever runs the tool still checks the value.`)
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
  const why = !/^[a-zA-Z0-9_-]+$/.test(name)
    ? 'its own name has characters that are not legal there'
    : isToolName(wanted)
      ? 'another tool has that name already, or one that differs in case alone'
      : `\`${wanted}\` is longer than ${maxToolNameLength} characters`
  const next = `Nothing, or give it another name where an agent uses it: \`${rename}\`.`
  return note('TG6006', `Models see \`${name}\` as \`${toolName}\`: ${why}.`, next)
}

function sentenceEnd(why: string): string {
  return why.endsWith('.') ? why : `${why}.`
}

/** A difference to the tools of an earlier import. */
export interface ListChange {
  /** The source's name of the tool. */
  readonly tool: string
  readonly kind: 'added' | 'removed' | 'changed'
}

/** A tool of a source, with everything that the source says about it. */
export interface ListedTool {
  readonly name: string
  readonly raw: Json
}

/** Compares lists of tools. The order of tools and keys does not matter. Of several tools of one name, the first counts. */
export function toolListChanges(before: readonly ListedTool[], after: readonly ListedTool[]): readonly ListChange[] {
  const [known, listed] = [before, after].map(
    (tools) => new Map([...tools].reverse().map(({ name, raw }) => [name, raw])),
  )
  const names = (tools: readonly ListedTool[]): readonly string[] => [...new Set(tools.map(({ name }) => name))]
  return [
    ...names(after).flatMap((tool): readonly ListChange[] => {
      const earlier = known?.get(tool)
      if (earlier === undefined) return [{ tool, kind: 'added' }]
      return deepEqual(earlier, listed?.get(tool) ?? null) ? [] : [{ tool, kind: 'changed' }]
    }),
    ...names(before)
      .filter((tool) => listed?.has(tool) === false)
      .map((tool) => ({ tool, kind: 'removed' as const })),
  ]
}
