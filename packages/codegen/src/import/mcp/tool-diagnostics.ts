import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { nearest } from '../../diagnostics/near.js'
import type { ToolSource } from '../tool-diagnostics.js'

/** An MCP server as the source of tools. */
export const mcpServer: ToolSource = {
  subject: 'The server',
  fix: 'Tell those who make the server',
  rename: 'fromMcp(toolset, { rename: { tool: "name" } })',
}

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

/**
 * A tool that no call can name.
 *
 * @param which what it is, in words that end "... has no name"
 */
export function unnamedTool(which: string): Diagnostic {
  return {
    code: 'TG6014',
    severity: 'warning',
    message: `${which} has no name and is left out.`,
    next: `${mcpServer.fix}: calls name a tool.`,
  }
}

/** A list without a tool that a design can have. */
export function noTools(source: string): Diagnostic {
  return {
    code: 'TG6001',
    severity: 'error',
    message: `${source} lists no tool that can be imported; nothing was written.`,
    next: 'Correct what the warnings name, or import from a server that lists tools.',
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
