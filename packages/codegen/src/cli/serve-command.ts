import { type FoundModule, findModule } from '../serve/find-module.js'
import type { HttpPlace, Serving, StdioPlace } from '../serve/serve.js'
import { printable } from '../text/printable.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import { count } from './count.js'
import { type ExitCode, exitCodes } from './exit-code.js'
import { nextSignal } from './next-signal.js'
import { report } from './report.js'
import { httpPlace, type ServeOptions } from './serve-options.js'
import type { Terminal } from './terminal.js'

/** All that the command line says. */
interface ServeRequest extends CommonOptions, ServeOptions {
  /** The module, relative to the folder in which the command works. */
  readonly module: string
}

/**
 * Serves the tools of a module until nobody is there to be served, or SIGINT or SIGTERM comes. Nothing that the module prints
 * reaches standard output. Over stdio that holds the protocol alone once it serves: reports go to standard error then, also JSON.
 */
export async function runServe(request: ServeRequest, context: CommandContext): Promise<ExitCode> {
  const http = httpPlace(request)
  const found = findModule(request.module, context.cwd)
  if (found.value === undefined || http.diagnostics.length > 0) {
    const diagnostics = [...http.diagnostics, ...found.diagnostics]
    return report(reporterOf(request), context.terminal, { command: 'serve', root: context.cwd, diagnostics })
  }
  return serveUntilEnd(found.value, http.value ?? context, { request, context })
}

async function serveUntilEnd(
  { file, root }: FoundModule,
  transport: HttpPlace | StdioPlace,
  { request, context }: { readonly request: ServeRequest; readonly context: CommandContext },
): Promise<ExitCode> {
  const { terminal } = context
  const told = { command: 'serve', root }
  const { serve } = await import('../serve/serve.js')
  const onEvaluate = (): void => context.onEvaluate?.('module')
  const { value: serving, diagnostics } = await serve({ file, root, transport, onEvaluate })
  if (serving === undefined) return report(reporterOf(request), terminal, { ...told, diagnostics })
  // The protocol has standard output for itself from here on.
  const serves: Terminal = 'output' in transport ? { ...terminal, out: terminal.note } : terminal
  const signal = nextSignal(['SIGINT', 'SIGTERM'])
  report(reporterOf(request), serves, {
    ...told,
    diagnostics: [],
    facts: {
      ...(serving.url !== undefined && { url: serving.url }),
      tools: serving.tools.map(({ wireName }) => wireName),
    },
    summary: summaryOf(serving, terminal),
  })
  await Promise.race([serving.ended, signal])
  const left = await serving.close()
  return left.length === 0 ? exitCodes.ok : report(reporterOf(request), serves, { ...told, diagnostics: left })
}

function summaryOf({ tools, url }: Serving, { noteStyle }: Terminal): string {
  const toolsets = [...new Set(tools.map(({ toolset }) => printable(toolset)))].join(', ')
  return `${noteStyle('green', 'serving')}: ${count(tools.length, 'tool')} of ${toolsets} ${url === undefined ? 'over stdio' : `at ${url}`}`
}
