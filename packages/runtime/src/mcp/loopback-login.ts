import { spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import { after, requireTimeLimit } from '../call/timers.js'
import { McpCallError } from './mcp-call-error.js'
import type { Login, LoginAttempt } from './oauth.js'

/** Options for `loopbackLogin`. */
export interface LoopbackLoginOptions {
  /**
   * Opens the login page. Default: prints the URL to stderr and opens the URL in the default browser. Set this option to open another browser, or
   * if your program must not print the URL to stderr.
   */
  readonly open?: (url: URL) => unknown
  /**
   * Port on 127.0.0.1 for the redirect. Set this option for authorization servers that accept only one redirect URL. Default: 0, which selects any
   * free port.
   */
  readonly port?: number
  /** Maximum time for the login of the user, in milliseconds. `Infinity` means no limit. Default: 5 minutes. */
  readonly timeoutMs?: number
}

/**
 * Creates a login for command-line tools and desktop applications. Starts a server on 127.0.0.1, which receives the redirect after the login at
 * `http://127.0.0.1:PORT/callback`. The server closes after the redirect.
 *
 * @throws {RangeError} if `timeoutMs` is invalid.
 *
 * @example
 * const auth = oauth({ store: fileTokenStore(), login: loopbackLogin() })
 *
 * @example
 * const login = loopbackLogin({ open: (url) => console.error(`Log in at ${url}`) })
 */
export function loopbackLogin(options: LoopbackLoginOptions = {}): Login {
  const { open = openBrowser, port = 0, timeoutMs = 300_000 } = options
  requireTimeLimit('timeoutMs', timeoutMs)
  return { start: () => startLoopback(open, port, timeoutMs) }
}

async function startLoopback(open: (url: URL) => unknown, port: number, timeoutMs: number): Promise<LoginAttempt> {
  let state: string | null | undefined
  let received: (url: URL) => void = () => undefined
  const callback = new Promise<URL>((resolve) => {
    received = resolve
  })
  let pageSent: Promise<unknown> = Promise.resolve()
  const http = createServer((request, response) => {
    const url = parsedUrl(request.url, redirectUrl)
    const isCallback = request.method === 'GET' && url?.pathname === '/callback'
    // Another page of the browser can send requests to this server, but does not know the state.
    if (!isCallback || typeof state !== 'string' || url.searchParams.get('state') !== state) {
      return sendPage(response, 404, 'This page belongs to no login.')
    }
    const isDenied = !url.searchParams.has('code')
    pageSent = new Promise((resolve) => response.once('close', resolve))
    sendPage(response, 200, isDenied ? 'The login failed.' : 'You can close this page and return to the application.')
    received(url)
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, '127.0.0.1', resolve)
  })
  const address = http.address()
  const redirectUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}/callback`
  let stopTimer = (): void => undefined
  return {
    redirectUrl,
    authorize: async (url, signal) => {
      state = url.searchParams.get('state')
      const failed = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        const message = `no login within ${timeoutMs} ms`
        stopTimer = after(timeoutMs, () => reject(new McpCallError('unauthorized', message)))
      })
      // If `open` fails, nothing waits for this promise any more.
      failed.catch(() => undefined)
      await Promise.race([open(url), failed])
      return Promise.race([callback, failed])
    },
    close: async () => {
      stopTimer()
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await pageSent
      // Browsers also open connections on which they send nothing.
      http.closeAllConnections()
      await closed
    },
  }
}

function parsedUrl(path: string | undefined, base: string): URL | undefined {
  return path !== undefined && URL.canParse(path, base) ? new URL(path, base) : undefined
}

function sendPage(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    // The URL of the page contains the code.
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  response.end(`<!doctype html><title>Login</title><p>${text}</p>`)
}

function openBrowser(url: URL): void {
  process.stderr.write(`Log in at ${url.href}\n`)
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  const child = spawn(command, [...args, url.href], { stdio: 'ignore', detached: true })
  // Without a browser on this machine, the user opens the printed URL.
  child.once('error', () => undefined)
  child.unref()
}
