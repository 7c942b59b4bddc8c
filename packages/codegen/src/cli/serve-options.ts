import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import type { HttpPlace } from '../serve/serve.js'
import { defaultPort } from './default-port.js'
import { namesIn } from './names-in.js'

/** What `toolgen serve` can be told beside the module. Each but the first asks for HTTP by itself. */
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

/** Where HTTP is to be served; neither value nor diagnostics: stdio. */
export function httpPlace(options: ServeOptions): Checked<HttpPlace> {
  const { http, port, host, path } = options
  const [allowedHosts, allowedOrigins] = [options.allowedHosts, options.allowedOrigins].map((names) =>
    names === undefined ? undefined : namesIn(names),
  )
  const said = [port, host, path, allowedHosts, allowedOrigins].some((option) => option !== undefined)
  if (http !== true && !said) return { diagnostics: [] }
  const number = port === undefined ? defaultPort : Number(port)
  const faults: Diagnostic[] = []
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && number <= 65_535)) {
    faults.push(
      misunderstood(`--port is \`${port}\`, which is no port.`, 'Give a number from 0, any free one, to 65535.'),
    )
  }
  if (path !== undefined && !/^\/[^?#\s]*$/.test(path)) {
    faults.push(misunderstood(`--path is \`${path}\`, which is no path.`, 'Begin it with `/`, e.g. `--path /mcp`.'))
  }
  const origin = allowedOrigins?.find((each) => !URL.canParse(each) || new URL(each).origin !== each)
  if (origin !== undefined) {
    faults.push(
      misunderstood(
        `--allowed-origins names \`${origin}\`, which is no origin.`,
        'Write it as browsers send it, e.g. `https://app.example.com`.',
      ),
    )
  }
  if (faults.length > 0) return { diagnostics: faults }
  const value: HttpPlace = {
    port: number,
    ...(host !== undefined && { host }),
    ...(path !== undefined && { path }),
    ...(allowedHosts !== undefined && { allowedHosts }),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
  }
  return { value, diagnostics: [] }
}

function misunderstood(message: string, next: string): Diagnostic {
  return { code: 'TG0001', severity: 'error', message, next }
}
