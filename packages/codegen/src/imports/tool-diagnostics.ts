import { deepEqual } from '@toolgen/runtime/schema'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { isToolName, longestToolName } from '../ir/name-rules.js'
import type { Json } from '../schema/json-schema.js'

/** Who describes the tools of an import, as messages speak of them. */
export interface ToolSource {
  /** E.g. `The server`. */
  readonly subject: string
  /** What to do about its faults, e.g. `Tell those who make the server`. */
  readonly fix: string
  /** The word of a design that gives an agent the tools, and where the agent's names for them stand. */
  readonly rename: string
}

/** Levels of a tool that fit into a snapshot, whose text nests 200 levels at most. */
export const mostLevels = 190

/** Returns whether a value holds values within each other over more than some levels. */
export function isDeeper(value: Json | undefined, levels: number): boolean {
  let inside = [value]
  for (let level = 0; inside.length > 0; level += 1) {
    const containers = inside.filter((each) => typeof each === 'object' && each !== null)
    if (containers.length > 0 && level === levels) return true
    inside = containers.flatMap((each) => Object.values(each))
  }
  return false
}

/** A tool whose arguments no design can have. */
export function leftOut({ fix }: ToolSource, name: string, why: string): Diagnostic {
  return {
    code: 'TG6003',
    severity: 'warning',
    message: `\`${name}\` is left out, because its arguments cannot be described: ${sentenceEnd(why)}`,
    next: `${fix}, or declare the tool by hand in a toolset of its own.`,
  }
}

/** A tool whose schema of the result no design can have. */
export function unknownResult({ fix }: ToolSource, name: string, why: string): Diagnostic {
  return {
    code: 'TG6004',
    severity: 'warning',
    message: `The result of \`${name}\` may be any JSON, because its schema cannot be used: ${sentenceEnd(why)}`,
    next: `${fix}.`,
  }
}

/** A default that nobody may send. */
export function defaultLeftOut({ fix }: ToolSource, name: string, misfit: string): Diagnostic {
  return {
    code: 'TG6013',
    severity: 'warning',
    message: `A default of \`${name}\` is left out: ${misfit}.`,
    next: `${fix}; without the field, whoever runs the tool takes a default of their own.`,
  }
}

/** A pattern that codecs cannot match. */
export function toolPatternLeftOut({ fix }: ToolSource, name: string, why: string): Diagnostic {
  return {
    code: 'TG6208',
    severity: 'warning',
    message: `A pattern of \`${name}\` is left out: ${sentenceEnd(why)}`,
    next: `${fix}, or nothing: whoever runs the tool still checks the value.`,
  }
}

/** A tool of which nothing is said. */
export function undescribed({ subject, fix }: ToolSource, name: string): Diagnostic {
  return {
    code: 'TG6005',
    severity: 'warning',
    message: `${subject} does not describe \`${name}\`; its title or name stands in for a description.`,
    next: `${fix}: models choose tools by what is said of them.`,
  }
}

/**
 * A tool that models see under another name than is wanted.
 *
 * @param wanted the name that models would see, were it legal and free
 */
export function renamed(
  { rename }: ToolSource,
  { name, wanted, toolName }: { readonly name: string; readonly wanted: string; readonly toolName: string },
): Diagnostic {
  return {
    code: 'TG6006',
    severity: 'note',
    message: `Models see \`${name}\` as \`${toolName}\`: ${whyRenamed(name, wanted)}.`,
    next: `Nothing, or give it another name where an agent uses it: \`${rename}\`.`,
  }
}

function whyRenamed(name: string, wanted: string): string {
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) return 'its own name has characters that are not legal there'
  return isToolName(wanted)
    ? 'another tool has that name already, or one that differs in case alone'
    : `\`${wanted}\` is longer than ${longestToolName} characters`
}

function sentenceEnd(why: string): string {
  return why.endsWith('.') ? why : `${why}.`
}

/** How a tool stands to what an earlier import has read. */
export interface ListChange {
  /** The tool's name where it comes from. */
  readonly tool: string
  readonly kind: 'added' | 'removed' | 'changed'
}

/** A tool under its name where it comes from, with all that was said of it. */
export interface ListedTool {
  readonly name: string
  readonly raw: Json
}

/** What is new, gone and not as it was in a list of tools; the order of tools and of keys does not count. */
export function toolListChanges(before: readonly ListedTool[], now: readonly ListedTool[]): readonly ListChange[] {
  const known = byName(before)
  const listed = byName(now)
  return [
    ...[...listed.values()].flatMap(({ name, raw }): readonly ListChange[] => {
      const earlier = known.get(name)
      if (earlier === undefined) return [{ tool: name, kind: 'added' }]
      return deepEqual(earlier.raw, raw) ? [] : [{ tool: name, kind: 'changed' }]
    }),
    ...[...known.keys()]
      .filter((name) => !listed.has(name))
      .map((name): ListChange => ({ tool: name, kind: 'removed' })),
  ]
}

/** Of several tools of one name, the first one counts, as it does for what is imported. */
function byName(tools: readonly ListedTool[]): ReadonlyMap<string, ListedTool> {
  const first = new Map<string, ListedTool>()
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool)
  return first
}
