import { isFields } from '../defined.js'
import { loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, type Diagnostic, errorAt, warning } from '../diagnostics/diagnostic.js'
import { mcpServer, unnamedTool } from './mcp-capture.js'
import {
  fillOrigin,
  isHeaderValue,
  type McpOrigin,
  missingVariables,
  type OriginHeaders,
  reference,
  shownOrigin,
} from './origin.js'
import { unusableSide } from './tool-source.js'

interface LiveCaller {
  readonly server: unknown
  readonly serverCapabilities: unknown
  listTools(options: { readonly onSkippedTool: (error: unknown, name?: string) => void }): Promise<unknown>
  listPrompts(): Promise<unknown>
  listResourceTemplates(): Promise<unknown>
  close(): Promise<unknown>
}

interface LiveResponse {
  readonly initialize: { readonly serverInfo: unknown; readonly capabilities: unknown }
  readonly tools: unknown
  /** `undefined` if the request failed, because some servers announce prompts but cannot list them. */
  readonly prompts: unknown
  readonly resourceTemplates: unknown
}

/** Requests over HTTP use the tokens of earlier logins. */
export interface RequestOptions {
  /** True to log in with the browser even if tokens of an earlier login exist. */
  readonly login: boolean
  /** Command line of toolgen that imports from this server. Diagnostics print it with additional options, such as `--login`. */
  readonly command: string
  /** For all requests together, in milliseconds. By default, each request has a separate limit. */
  readonly timeLimit?: number
  /** `false` omits stderr and error messages of the server from diagnostics, because these texts can contain secrets of the environment. */
  readonly quoteServer?: boolean
}

/** Starts a local server in the folder `cwd`. */
export async function readLive(
  origin: McpOrigin,
  cwd: string,
  options: RequestOptions,
): Promise<Checked<LiveResponse>> {
  const filled = fillOrigin(origin, process.env)
  if ('missing' in filled) {
    const { missing } = filled
    const message = `Cannot start or call the server: ${missingVariables(missing)}.`
    const next = `Set the variable${missing.length === 1 ? '' : 's'} in the environment of toolgen, which replaces \`\${NAME}\` in the command, URL and headers.`
    return { diagnostics: [errorAt(undefined, 'TG0014', message, next)] }
  }
  const headers = 'url' in origin ? origin.headers : undefined
  const sent = 'url' in filled.origin ? (filled.origin.headers ?? {}) : {}
  const invalid = Object.keys(sent).find((name) => !isHeaderValue(sent[name] ?? ''))
  if (invalid !== undefined) {
    const message = `The value of the header \`${invalid}\` contains a line break or another character that HTTP does not allow.`
    const next = `Set each variable to one line of ASCII text: \`${headers?.[invalid]?.match(reference)?.join('`, `')}\`.`
    return { diagnostics: [errorAt(undefined, 'TG0014', message, next)] }
  }
  const name = 'url' in origin ? 'httpCaller' : 'stdioCaller'
  const { value: connect, diagnostics } = await loadInstalled('@toolgen/runtime/mcp', name, cwd)
  if (connect === undefined) return { diagnostics }
  let caller: LiveCaller | undefined
  let timer: NodeJS.Timeout | undefined
  let isLate = false
  const reasonOf = (thrown: unknown): string =>
    isLate
      ? `no response within ${(options.timeLimit ?? 0) / 1000} s`
      : // The server can repeat a part of a header.
        options.quoteServer === false || headers !== undefined
        ? ownReason(thrown, filled.hide)
        : filled.hide(connectionError(thrown, filled.origin))
  try {
    // A token of a login would replace the header.
    const usesLogin = 'url' in filled.origin && headers?.['authorization'] === undefined
    const auth = usesLogin ? await authOf(filled.origin.url, cwd, options.login) : undefined
    if (auth?.value === undefined && auth !== undefined) return { diagnostics: auth.diagnostics }
    caller = Reflect.apply(connect, undefined, [callerOptions(filled.origin, cwd, auth?.value, options)]) as LiveCaller
    const started = caller
    if (options.timeLimit !== undefined) {
      timer = setTimeout(() => {
        isLate = true
        void started.close()
      }, options.timeLimit)
    }
    const skipped: Diagnostic[] = []
    const onSkippedTool = (_: unknown, name?: string): void => {
      const isNamed = name !== undefined
      const why = 'an argument cannot be sent as the HTTP header that its `x-mcp-header` names'
      skipped.push(isNamed ? unusableSide('arguments', mcpServer, name, why) : unnamedTool('A tool of the list'))
    }
    const tools = await caller.listTools({ onSkippedTool })
    // Some servers declare prompts or resources but do not list them. Their tools can be imported nevertheless.
    const notListed = (noun: string) => (thrown: unknown) => {
      const message = `The server ${shownOrigin(origin)} did not list its ${noun}: ${reasonOf(thrown)}.`
      skipped.push(
        warning('TG6015', message, 'Report the problem to the authors of the server. The tools are complete.'),
      )
      return undefined
    }
    const prompts = await caller.listPrompts().catch(notListed('prompts'))
    const resourceTemplates = await caller.listResourceTemplates().catch(notListed('resource templates'))
    const initialize = { serverInfo: caller.server, capabilities: caller.serverCapabilities }
    return { value: { initialize, tools, prompts, resourceTemplates }, diagnostics: skipped }
  } catch (thrown) {
    const isRejected = isRejection(thrown, headers)
    if (isRejected && !options.login) {
      return { diagnostics: [rejected(origin, headers, thrown.status, options.command)] }
    }
    const look =
      'url' in origin
        ? 'Check that the URL supports Streamable HTTP and that you have access'
        : 'Start the server by hand to check that it runs. If a program such as `npx` is still downloading the server, repeat the command'
    const details =
      options.quoteServer === false && headers === undefined
        ? '. `toolgen check --live` in a terminal shows the messages of the server'
        : ''
    const message = `The server ${shownOrigin(origin)} did not list its tools: ${reasonOf(thrown)}.`
    const token = isRejected ? ` ${fixedToken(options.command)}` : ''
    const next = `${look}${details}. You can also import a file with its tools: --from FILE.${token}`
    return { diagnostics: [errorAt(undefined, 'TG0012', message, next)] }
  } finally {
    clearTimeout(timer)
    await caller?.close()
  }
}

/** A caller without the option `auth` throws the code `http` instead of `unauthorized` for the status 401 or 403. */
function isRejection(thrown: unknown, headers: OriginHeaders | undefined): thrown is { readonly status?: unknown } {
  if (!isFields(thrown)) return false
  const { code, status } = thrown
  return code === 'unauthorized' || (headers !== undefined && code === 'http' && (status === 401 || status === 403))
}

/** Does not quote the server, because its response can contain a part of a header. */
function rejected(origin: McpOrigin, headers: OriginHeaders | undefined, status: unknown, command: string): Diagnostic {
  if (headers === undefined) {
    const message = `The server ${shownOrigin(origin)} requires a login, and there are no valid tokens of an earlier one.`
    const next = `Log in with the browser: \`${command} --login\`. Later commands use the stored tokens. ${fixedToken(command)}`
    return errorAt(undefined, 'TG0012', message, next)
  }
  const response = status === undefined ? '' : ` with the HTTP status ${String(status)}`
  const names = Object.keys(headers).map((name) => `\`${name}\``)
  const message = `The server ${shownOrigin(origin)} rejected the request${response}. Headers of the request: ${names.join(', ')}.`
  const next =
    headers['authorization'] === undefined
      ? `Correct the headers or their variables. If the server also requires a login, log in: \`${command} --login\`.`
      : 'Correct the headers or their variables. In `authorization: Bearer ${TOKEN}`, the variable is the token without `Bearer`.'
  return errorAt(undefined, 'TG0012', message, next)
}

function fixedToken(command: string): string {
  return `If the server expects a fixed token instead, set a variable such as \`TOKEN\` to it, and run \`${command} --header 'authorization: Bearer \${TOKEN}'\`.`
}

async function authOf(url: string, cwd: string, isLogin: boolean): Promise<Checked<object>> {
  const [oauth, newStore, newLogin] = await Promise.all(
    ['oauth', 'fileTokenStore', 'loopbackLogin'].map((name) => loadInstalled('@toolgen/runtime/mcp', name, cwd)),
  )
  if (oauth?.value === undefined || newStore?.value === undefined || newLogin?.value === undefined) {
    return { diagnostics: oauth?.diagnostics ?? [] }
  }
  // The store is in the configuration folder of the user.
  const store: unknown = Reflect.apply(newStore.value, undefined, [])
  const login = isLogin ? { login: Reflect.apply(newLogin.value, undefined, []) } : {}
  const auth = Reflect.apply(oauth.value, undefined, [{ store, ...login }]) as OAuth
  if (isLogin) await auth.logout(url)
  return { value: auth, diagnostics: [] }
}

interface OAuth {
  logout(server: string): Promise<void>
}

function callerOptions(
  origin: McpOrigin,
  cwd: string,
  auth: object | undefined,
  { quoteServer }: RequestOptions,
): object {
  const reconnect = { attempts: 1 }
  if ('url' in origin) return { url: origin.url, headers: origin.headers, reconnect, auth }
  // The server may need keys from the environment variables.
  const [command, ...args] = origin.command
  return { command, args, cwd, env: { ...process.env }, quoteStderr: quoteServer, reconnect }
}

export function connectionError(thrown: unknown, origin: McpOrigin): string {
  const prefix = `cannot connect to the MCP server ${'url' in origin ? origin.url : origin.command.join(' ')}`
  const parts = messagesOf(thrown).map((message) => {
    const rest = message.startsWith(prefix) ? message.slice(prefix.length).replace(/^: /, '') : message
    return (rest.split('\n')[0] ?? '').replace(/\.$/, '')
  })
  return parts
    .filter((part, index) => part !== '' && !parts.slice(0, index).some((earlier) => earlier.includes(part)))
    .join(': ')
    .replace(/^the server (?=ended\b)/, 'it ')
}

function ownReason(thrown: unknown, hide: (text: string) => string): string {
  const { name, code, message, cause, rpcCode, status, syscall } = isFields(thrown) ? thrown : {}
  if (name === 'McpCallError') {
    switch (code) {
      case 'refused':
        return `it responded with the error ${String(rpcCode)}`
      case 'http':
        return `it responded with the HTTP status ${String(status)}`
      case 'malformed':
        return 'its response violates the Model Context Protocol'
      case 'closed':
      case 'timeout':
      case 'too_large':
        return hide(String(message)).replace(/^the server (?=ended\b)/, 'it ')
    }
  }
  if (typeof syscall === 'string') return hide(String(message))
  return cause === undefined ? 'the connection failed' : ownReason(cause, hide)
}

function messagesOf(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error)) return [String(thrown)]
  return [thrown.message, ...(thrown.cause === undefined ? [] : messagesOf(thrown.cause))]
}
