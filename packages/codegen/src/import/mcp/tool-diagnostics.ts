import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { nearest } from '../../diagnostics/near.js'
import { isWireName, longestWireName } from '../../ir/rules/wire-name.js'

/** The server runs a tool in a way that callers do not ask for. */
export function onlyAsTask(name: string): Diagnostic {
  return {
    code: 'TG6012',
    severity: 'warning',
    message: `The server runs \`${name}\` as a task alone, which callers do not ask for: it will refuse every call.`,
    next: 'Leave it out where an agent uses the toolset: `fromMcp(toolset, { only: [...] })`.',
  }
}

/** `--progress` names a tool that the server does not have. */
export function noSuchTool(name: string, known: readonly string[]): Diagnostic {
  const near = nearest(name, known)
  return {
    code: 'TG0001',
    severity: 'error',
    message: `--progress names \`${name}\`, and the server has no such tool.`,
    next: near[0] === undefined ? `Its tools are: ${known.join(', ')}.` : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}

/** Several tools of one name. */
export function listedTwice(name: string): Diagnostic {
  return {
    code: 'TG6002',
    severity: 'warning',
    message: `The server lists \`${name}\` more than once; the first one is taken.`,
    next: 'Tell those who make the server.',
  }
}

/** A tool whose arguments no design can have. */
export function leftOut(name: string, why: string): Diagnostic {
  return {
    code: 'TG6003',
    severity: 'warning',
    message: `\`${name}\` is left out, because its arguments cannot be described: ${why}`,
    next: 'Tell those who make the server, or declare the tool by hand in a toolset of its own.',
  }
}

/** A tool whose schema of the result no design can have. */
export function unknownResult(name: string, why: string): Diagnostic {
  return {
    code: 'TG6004',
    severity: 'warning',
    message: `The result of \`${name}\` may be any JSON, because its schema cannot be used: ${why}`,
    next: 'Tell those who make the server.',
  }
}

/** A default of the server's that nobody may send. */
export function defaultLeftOut(name: string, misfit: string): Diagnostic {
  return {
    code: 'TG6013',
    severity: 'warning',
    message: `A default of \`${name}\` is left out: ${misfit}.`,
    next: 'Tell those who make the server; without the field they take their own default.',
  }
}

/** A tool of which the server says nothing. */
export function undescribed(name: string): Diagnostic {
  return {
    code: 'TG6005',
    severity: 'warning',
    message: `The server does not describe \`${name}\`; its title or name stands in for a description.`,
    next: 'Tell those who make the server: models choose tools by what is said of them.',
  }
}

/** A tool whose name models do not see as `toolset_tool`. */
export function renamed(name: string, toolset: string, wireName: string): Diagnostic {
  return {
    code: 'TG6006',
    severity: 'note',
    message: `Models see \`${name}\` as \`${wireName}\`: ${whyRenamed(name, `${toolset}_${name}`)}.`,
    next: 'Nothing, or give it another name where an agent uses it: `fromMcp(toolset, { rename: { tool: "name" } })`.',
  }
}

function whyRenamed(name: string, whole: string): string {
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) return 'its own name has characters that are not legal there'
  return isWireName(whole)
    ? 'another tool has that name already, or one that differs in case alone'
    : `\`${whole}\` is longer than ${longestWireName} characters`
}
