import { defined } from '../../defined.js'
import { type Checked, errorAt } from '../../diagnostics/diagnostic.js'
import { jsonOf } from '../../imports/json-source.js'
import { importMcp } from '../../imports/mcp.js'
import { type McpCapture, readCapture } from '../../imports/mcp-capture.js'
import { readLive } from '../../imports/mcp-server.js'
import { headersNeedUrl, type McpOrigin, readHeaders, shownOrigin, withHeaders } from '../../imports/origin.js'
import { readSource } from '../../imports/sources.js'
import { shellWord } from '../../text.js'
import { type CommandContext, urlIn, wrongUsage } from '../context.js'
import { type ExitCode, namesIn } from '../format.js'
import { type ImportRequest, startImport } from './import.js'

export interface ImportMcpOptions {
  readonly from?: string
  readonly url?: string
  readonly login?: boolean
  /** Each value is `NAME: VALUE`. Values can contain references such as `${TOKEN}`. */
  readonly header?: readonly string[]
  /** Comma-separated names of tools on the server whose progress notifications become updates of the tool call. */
  readonly progress?: string
  readonly dir: string
}

interface McpImportRequest extends ImportMcpOptions, ImportRequest {
  readonly server: readonly string[]
}

export async function run(request: McpImportRequest, context: CommandContext): Promise<ExitCode> {
  const started = startImport('mcp', request, context)
  if (typeof started === 'number') return started
  const earlier = started.earlier && readCapture(started.earlier.json, started.snapshot).value
  const captured = await capture(request, context.cwd, started.snapshot, earlier)
  if (captured.value === undefined) return started.refuse(captured.diagnostics)
  const { json, ...source } = captured.value
  const progress = request.progress === undefined ? undefined : namesIn(request.progress)
  const imported = importMcp(request.name, { captured: json, ...source, ...defined({ progress, earlier }) })
  return started.publish({ ...imported, diagnostics: [...captured.diagnostics, ...imported.diagnostics] })
}

async function capture(
  { name, from, server: words, url = urlIn(words), login = false, header }: McpImportRequest,
  cwd: string,
  snapshot: string,
  earlier: McpCapture | undefined,
): Promise<Checked<{ readonly json: unknown; readonly source: string; readonly origin?: McpOrigin }>> {
  const { value: headers, diagnostics: wrong } = readHeaders(header)
  if (wrong.length > 0) return { diagnostics: wrong }
  const server = urlIn(words) === undefined ? words : []
  const sources = [from, url, server[0]].filter((source) => source !== undefined)
  if (sources.length > 1) return oneSource('More than one of --from, --url and a command is set.')
  if (from !== undefined) {
    if (login) return loginNeedsUrl()
    if (headers !== undefined) return { diagnostics: [headersNeedUrl()] }
    const { value: source, diagnostics } = await readSource(from, cwd)
    if (source === undefined) return { diagnostics }
    const read = jsonOf(source)
    if (read.value === undefined) return { diagnostics: read.diagnostics }
    return { value: { json: read.value.json, source: source.shown }, diagnostics: [] }
  }
  // The recorded tools with progress are only valid for the same server.
  const recorded = sources.length === 0 ? earlier : undefined
  const started = server.length > 0 ? { command: server } : recorded?.origin
  const selected = url === undefined ? started : { url }
  if (selected === undefined) {
    return oneSource(`The source of the tools is unknown: no option sets it, and \`${snapshot}\` records no server.`)
  }
  const { value: origin, diagnostics: unsent } = withHeaders(selected, headers)
  if (origin === undefined) return { diagnostics: unsent }
  if (login && !('url' in origin)) return loginNeedsUrl()
  if (login && 'url' in origin && origin.headers?.['authorization'] !== undefined) return loginReplacesHeader()
  const shownUrl = url === undefined ? '' : ` --url ${shellWord(url)}`
  const shownHeaders = (header ?? []).map((text) => ` --header ${shellWord(text)}`).join('')
  const command = `toolgen import mcp ${shellWord(name)}${shownUrl}${shownHeaders}`
  const { value, diagnostics } = await readLive(origin, cwd, { login, command })
  if (value === undefined) return { diagnostics }
  const json = recorded?.progress === undefined ? value : { ...value, progress: recorded.progress }
  return { value: { json, source: shownOrigin(origin), origin }, diagnostics }
}

function loginNeedsUrl(): Checked<never> {
  const message = '--login needs a server over HTTP.'
  const next = 'Omit `--login`, or import from the URL of the server: `toolgen import mcp files --url URL --login`.'
  return { diagnostics: [wrongUsage(message, next)] }
}

function loginReplacesHeader(): Checked<never> {
  const message = '--login and the header `authorization` exclude each other: the login sets this header.'
  const next = 'Omit `--login`, or import without the header: `toolgen import mcp files --url URL --login`.'
  return { diagnostics: [wrongUsage(message, next)] }
}

function oneSource(message: string): Checked<never> {
  const next =
    'Set one of `--from FILE`, `--url URL` and `-- COMMAND`, e.g. `toolgen import mcp files -- npx -y server .`.'
  return { diagnostics: [errorAt(undefined, 'TG0001', message, next)] }
}
