import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { messageOf } from '../installed/message-of.js'
import { inWords, isDiskError } from '../write/disk.js'

/** There is no module to serve. */
export function noModule(named: string, what: 'missing' | 'folder', near: readonly string[]): Diagnostic {
  return {
    code: 'TG0016',
    severity: 'error',
    message: what === 'missing' ? `There is no module \`${named}\`.` : `\`${named}\` is a folder, not a module.`,
    next:
      near[0] === undefined
        ? 'Name a TypeScript or JavaScript module, relative to the folder in which the command works.'
        : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}

/** The tools are fine, but they cannot be served at that place. */
export function notServed(error: unknown): Diagnostic {
  const serving = { code: 'TG0017', severity: 'error' } as const
  if (isDiskError(error)) {
    const message = `The tools cannot be served there: ${listenWords.get(error.code) ?? inWords(error)}.`
    return { ...serving, message, next: 'Choose another --port or --host; --port 0 takes any port that is free.' }
  }
  return {
    ...serving,
    message: `The tools cannot be served there: ${messageOf(error).replace(/^serveMcp: /, '')}.`,
    next: 'Serve this machine alone, or say by which names clients know the server: `--allowed-hosts tools.example.com`.',
  }
}

/** What the module has opened cannot be closed. */
export function notClosed(error: unknown): Diagnostic {
  return {
    code: 'TG7006',
    severity: 'error',
    message: `The \`close\` of the module to serve failed: ${messageOf(error)}.`,
    next: 'Correct the `close` of what the module exports.',
  }
}

const listenWords: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'the port is in use'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['ENOTFOUND', 'nobody knows that host'],
  ['EAI_AGAIN', 'nobody knows that host'],
  ['EACCES', 'the port is reserved'],
])
