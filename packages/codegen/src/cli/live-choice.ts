import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import type { LiveChoice } from '../live/check-live.js'
import { shellWord } from '../text/shell-word.js'

/** What the command line says of the servers that `toolgen check` is to ask. */
export interface LiveOptions {
  /** All servers, or that of one toolset. */
  readonly live?: true | string
  /** Where the server of the one toolset is. */
  readonly url?: string
  /** The words that start it; empty where there is none to start. */
  readonly server: readonly string[]
}

/** Which servers are to be asked; neither value nor diagnostics: none. */
export function liveChoice({ live, url, server }: LiveOptions): Checked<LiveChoice> {
  if (url !== undefined && server.length > 0) {
    return { diagnostics: [misunderstood('The server can be in one place alone.')] }
  }
  const origin = url !== undefined ? { url } : server.length > 0 ? { command: server } : undefined
  if (typeof live === 'string') {
    return { value: { toolset: live, ...(origin !== undefined && { origin }) }, diagnostics: [] }
  }
  const [word, ...more] = server
  if (word !== undefined && more.length === 0) return { diagnostics: [toolsetAlone(word)] }
  if (origin !== undefined)
    return { diagnostics: [misunderstood('A server is given, but not the toolset that it serves.')] }
  return live === true ? { value: 'all', diagnostics: [] } : { diagnostics: [] }
}

/** One word is more likely a toolset, named without the option, than what starts a server. */
function toolsetAlone(word: string): Diagnostic {
  const command = `toolgen check --live ${shellWord(word)}`
  return {
    code: 'TG0001',
    severity: 'error',
    message: `\`${word}\` does not follow --live, which names the toolset whose server is asked.`,
    next: `Did you mean \`${command}\`?`,
    near: [command],
  }
}

function misunderstood(message: string): Diagnostic {
  const next = 'Name the toolset and one server: `toolgen check --live files -- COMMAND` or `--live files --url URL`.'
  return { code: 'TG0001', severity: 'error', message, next }
}
