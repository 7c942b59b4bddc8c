import { defined } from '../../defined.js'
import { runtimeFolder } from '../../dev/installed-runtime.js'
import { type HttpLocation, type ServeRequest, serve } from '../../dev/serve.js'
import { findToolsModule, loadServed } from '../../dev/served-module.js'
import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import { loadDocument } from '../../imports/serve-openapi.js'
import { standardInput } from '../../imports/sources.js'
import { printable } from '../../text.js'
import { type CommandContext, type CommonOptions, defaultPort, wrongUsage } from '../context.js'
import { count, type ExitCode, exitCodes, namesIn } from '../format.js'
import { report } from '../report.js'
import { nextSignal } from '../terminal.js'

/**
 * Output of the module goes to standard error. Over stdio, reports and JSON also go to standard error, because standard output contains only messages
 * of the MCP protocol.
 */
export async function run(
  options: CommonOptions & ServeOptions & DocumentOptions & { readonly module?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, reporter } = context
  const http = httpLocation(options)
  const found = await sourceOf(options, context)
  const readsProtocol = options.openapi === standardInput && http.value === undefined
  const wrong = [
    ...http.diagnostics,
    ...(options.search === false && options.code !== true ? [noCode()] : []),
    ...(readsProtocol && http.diagnostics.length === 0 ? [noInput()] : []),
  ]
  if (found.value === undefined || wrong.length > 0) return context.report([...wrong, ...found.diagnostics])
  const { root } = found.value
  const transport = http.value ?? { input: context.input(), output: context.output }
  const code = options.code === true ? { code: { search: options.search !== false } } : {}
  const { value: serving, diagnostics } = await serve({ ...found.value, transport, ...code })
  if (serving === undefined) return context.report(diagnostics, { root })
  const { tools, served, url } = serving
  const serverTerminal = http.value === undefined ? { ...terminal, out: terminal.note } : terminal
  const common = { command: 'serve', root }
  const signal = nextSignal(['SIGINT', 'SIGTERM'])
  const toolsets = [...new Set(tools.map(({ toolset }) => printable(toolset)))].join(', ')
  const members = `${count(tools.length, 'tool')} of ${toolsets}`
  const shown = options.code === true ? `${served.join(' and ')} for ${members}` : members
  const address = url === undefined ? 'over stdio' : `at ${url}`
  report(reporter, serverTerminal, {
    ...common,
    diagnostics,
    facts: { ...(url !== undefined && { url }), tools: served },
    summary: `${terminal.noteStyle('green', 'serving')}: ${shown} ${address}`,
  })
  await Promise.race([serving.ended, signal])
  const left = await serving.close()
  return left.length === 0 ? exitCodes.ok : report(reporter, serverTerminal, { ...common, diagnostics: left })
}

async function sourceOf(
  options: DocumentOptions & { readonly module?: string },
  context: CommandContext,
): Promise<Checked<Pick<ServeRequest, 'load' | 'root'>>> {
  const { module, openapi, baseUrl } = options
  const { cwd } = context
  if (module !== undefined && openapi !== undefined) {
    const next = 'Write `toolgen serve src/serve.ts` for a module, or `toolgen serve --openapi openapi.yaml`.'
    return { diagnostics: [wrongUsage('A module and --openapi cannot be combined.', next)] }
  }
  if (openapi !== undefined) {
    const root = runtimeFolder(cwd)
    const [tags, operations, auth] = [options.tag, options.operation, options.auth].map((list) => namesIn(list ?? ''))
    const request = {
      ...{ from: openapi, cwd, env: process.env, readOnly: options.readOnly === true },
      ...{ select: { tags: tags ?? [], paths: [], operations: operations ?? [] }, auth: auth ?? [] },
      ...defined({ baseUrl }),
    }
    return { value: { root, load: () => loadDocument(request, root) }, diagnostics: [] }
  }
  const [other] = (['auth', 'baseUrl', 'tag', 'operation', 'readOnly'] as const).filter(
    (name) => options[name] !== undefined,
  )
  if (other !== undefined) {
    const flag = `--${other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const next = `Omit ${flag}, or serve a document: \`toolgen serve --openapi openapi.yaml\`.`
    return { diagnostics: [wrongUsage(`${flag} has an effect only with --openapi.`, next)] }
  }
  const { value: found, diagnostics } = await findToolsModule(module, context.project)
  if (found === undefined) return { diagnostics }
  const { file, root } = found
  const load = () => {
    context.onEvaluate?.('module')
    return loadServed(file, root)
  }
  return { value: { root, load }, diagnostics: [] }
}

const noInput = (): Diagnostic =>
  wrongUsage('--openapi - reads standard input, which is the protocol over stdio.', 'Add `--http`, or use a file.')

const noCode = (): Diagnostic =>
  wrongUsage('--no-search has an effect only in code mode.', 'Use it with `--code`, or omit it.')

export interface ServeOptions {
  readonly code?: boolean
  readonly search?: boolean
  readonly http?: boolean
  readonly port?: string
  readonly host?: string
  readonly path?: string
  readonly allowedHosts?: string
  readonly allowedOrigins?: string
  readonly authIssuer?: string
  readonly authResource?: string
  readonly authAudience?: string
  readonly authScopes?: string
}

export interface DocumentOptions {
  readonly openapi?: string
  /**
   * Comma-separated credentials, as `SCHEME=VARIABLE` or `SCHEME=USER:PASSWORD`. `SCHEME` is the name of a security scheme in the document.
   * `VARIABLE`, `USER` and `PASSWORD` are names of environment variables.
   */
  readonly auth?: string
  readonly baseUrl?: string
  readonly tag?: string
  readonly operation?: string
  readonly readOnly?: boolean
}

export function httpLocation(options: ServeOptions): Checked<HttpLocation> {
  const { http, port, host, path } = options
  const allowedHosts = options.allowedHosts === undefined ? undefined : namesIn(options.allowedHosts)
  const allowedOrigins = options.allowedOrigins === undefined ? undefined : namesIn(options.allowedOrigins)
  const { value: auth, diagnostics: wrongAuth } = authOptions(options)
  if (wrongAuth.length > 0) return { diagnostics: wrongAuth }
  const more = defined({ host, path, allowedHosts, allowedOrigins, auth })
  if (http !== true && port === undefined && Object.keys(more).length === 0) return { diagnostics: [] }
  const number = port === undefined ? defaultPort : Number(port)
  const wrong: Diagnostic[] = []
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && number <= 65_535)) {
    wrong.push(
      wrongUsage(
        `--port must be a port number, not \`${port}\`.`,
        'Use a number from 1 to 65535, or 0 for any free port.',
      ),
    )
  }
  if (path !== undefined && !/^\/[^?#\s]*$/.test(path)) {
    wrong.push(
      wrongUsage(
        `--path must be the path of a URL, not \`${path}\`.`,
        'Use a path that begins with `/`, e.g. `--path /mcp`.',
      ),
    )
  }
  const origin = allowedOrigins?.find((each) => !URL.canParse(each) || new URL(each).origin !== each)
  if (origin !== undefined) {
    const message = `\`${origin}\` in --allowed-origins is not an origin.`
    wrong.push(wrongUsage(message, 'Write the origin as browsers send it, for example `https://app.example.com`.'))
  }
  return wrong.length > 0 ? { diagnostics: wrong } : { value: { port: number, ...more }, diagnostics: [] }
}

function authOptions(options: ServeOptions): Checked<HttpLocation['auth']> {
  const { authIssuer: issuer, authResource: resource, authAudience: audience, authScopes, host } = options
  const requiredScopes = authScopes === undefined ? undefined : namesIn(authScopes)
  const more = defined({ resource, audience, requiredScopes })
  const [other] = Object.keys(more)
  if (issuer === undefined) {
    if (other === undefined) return { diagnostics: [] }
    const message = '--auth-resource, --auth-audience and --auth-scopes have an effect only with --auth-issuer.'
    return { diagnostics: [wrongUsage(message, 'Add `--auth-issuer URL`, the URL of the authorization server.')] }
  }
  for (const [option, url] of Object.entries({ '--auth-issuer': issuer, '--auth-resource': resource })) {
    if (url === undefined || isSecure(url)) continue
    const message = `${option} must be an https URL, not \`${url}\`.`
    return { diagnostics: [wrongUsage(message, `Write the whole URL, e.g. \`${option} https://login.example.com\`.`)] }
  }
  if (host !== undefined && resource === undefined && !['127.0.0.1', 'localhost', '::1', '[::1]'].includes(host)) {
    const message = '--auth-resource is missing, because other machines can reach the server.'
    const next = 'Add the URL that clients use: `--auth-resource https://tools.example.com/mcp`.'
    return { diagnostics: [wrongUsage(message, next)] }
  }
  return { value: { issuer, ...more }, diagnostics: [] }
}

function isSecure(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
