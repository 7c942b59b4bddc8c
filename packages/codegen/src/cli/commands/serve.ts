import { type FoundModule, findModule, type HttpLocation, type Serving, type StdioLocation } from '../../dev/serve.js'
import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import { printable } from '../../text.js'
import { type CommandContext, type CommonOptions, defaultPort, reporterOf, wrongUsage } from '../context.js'
import { count, type ExitCode, exitCodes, namesIn } from '../format.js'
import { report } from '../report.js'
import { nextSignal, type Terminal } from '../terminal.js'

/** The arguments and options of the command. */
interface ServeRequest extends CommonOptions, ServeOptions {
  /** The module, relative to the folder in which the command works. */
  readonly module: string
}

/**
 * Serves the tools of a module until nobody is there to be served, or SIGINT or SIGTERM comes. Nothing that the module prints
 * reaches standard output. Over stdio that holds the protocol alone once it serves: reports go to standard error then, also JSON.
 */
export async function runServe(request: ServeRequest, context: CommandContext): Promise<ExitCode> {
  const http = httpLocation(request)
  const found = findModule(request.module, context.cwd)
  if (found.value === undefined || http.diagnostics.length > 0) {
    const diagnostics = [...http.diagnostics, ...found.diagnostics]
    return report(reporterOf(request), context.terminal, { command: 'serve', root: context.cwd, diagnostics })
  }
  return serveUntilEnd(found.value, http.value ?? context, { request, context })
}

async function serveUntilEnd(
  { file, root }: FoundModule,
  transport: HttpLocation | StdioLocation,
  { request, context }: { readonly request: ServeRequest; readonly context: CommandContext },
): Promise<ExitCode> {
  const { terminal } = context
  const common = { command: 'serve', root }
  const { serve } = await import('../../dev/serve.js')
  const onEvaluate = (): void => context.onEvaluate?.('module')
  const { value: serving, diagnostics } = await serve({ file, root, transport, onEvaluate })
  if (serving === undefined) return report(reporterOf(request), terminal, { ...common, diagnostics })
  // The protocol has standard output for itself from here on.
  const serves: Terminal = 'output' in transport ? { ...terminal, out: terminal.note } : terminal
  const signal = nextSignal(['SIGINT', 'SIGTERM'])
  report(reporterOf(request), serves, {
    ...common,
    diagnostics: [],
    facts: {
      ...(serving.url !== undefined && { url: serving.url }),
      tools: serving.tools.map(({ toolName }) => toolName),
    },
    summary: summaryOf(serving, terminal),
  })
  await Promise.race([serving.ended, signal])
  const left = await serving.close()
  return left.length === 0 ? exitCodes.ok : report(reporterOf(request), serves, { ...common, diagnostics: left })
}

function summaryOf({ tools, url }: Serving, { noteStyle }: Terminal): string {
  const toolsets = [...new Set(tools.map(({ toolset }) => printable(toolset)))].join(', ')
  return `${noteStyle('green', 'serving')}: ${count(tools.length, 'tool')} of ${toolsets} ${url === undefined ? 'over stdio' : `at ${url}`}`
}

/** Options of `toolgen serve`. Each but the first implies HTTP. */
export interface ServeOptions {
  readonly http?: boolean
  readonly port?: string
  readonly host?: string
  readonly path?: string
  /** With commas between. */
  readonly allowedHosts?: string
  /** With commas between. */
  readonly allowedOrigins?: string
}

/** Returns the address for HTTP; neither value nor diagnostics: stdio. */
export function httpLocation(options: ServeOptions): Checked<HttpLocation> {
  const { http, port, host, path } = options
  const [allowedHosts, allowedOrigins] = [options.allowedHosts, options.allowedOrigins].map((names) =>
    names === undefined ? undefined : namesIn(names),
  )
  const isHttp = [port, host, path, allowedHosts, allowedOrigins].some((option) => option !== undefined)
  if (http !== true && !isHttp) return { diagnostics: [] }
  const number = port === undefined ? defaultPort : Number(port)
  const wrong: Diagnostic[] = []
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && number <= 65_535)) {
    wrong.push(wrongUsage(`--port is \`${port}\`, which is no port.`, 'Give a number from 0, any free one, to 65535.'))
  }
  if (path !== undefined && !/^\/[^?#\s]*$/.test(path)) {
    wrong.push(wrongUsage(`--path is \`${path}\`, which is no path.`, 'Begin it with `/`, e.g. `--path /mcp`.'))
  }
  const origin = allowedOrigins?.find((each) => !URL.canParse(each) || new URL(each).origin !== each)
  if (origin !== undefined) {
    wrong.push(
      wrongUsage(
        `--allowed-origins names \`${origin}\`, which is no origin.`,
        'Write it as browsers send it, e.g. `https://app.example.com`.',
      ),
    )
  }
  if (wrong.length > 0) return { diagnostics: wrong }
  const value: HttpLocation = {
    port: number,
    ...(host !== undefined && { host }),
    ...(path !== undefined && { path }),
    ...(allowedHosts !== undefined && { allowedHosts }),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
  }
  return { value, diagnostics: [] }
}
