import { createRequire } from 'node:module'

const packages = {
  // This file contains the compiler API. TypeScript 7.0 does not have the file.
  checker: ['typescript/lib/typescript.js', '@typescript/typescript6'],
  sandbox: ['quickjs-emscripten'],
  v8Sandbox: ['isolated-vm'],
  search: ['minisearch'],
} as const

type Part = keyof typeof packages

const { resolve } = createRequire(import.meta.url)

function isInstalled(path: string): boolean {
  try {
    resolve(path)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // The error shows that the package exists, but has no entry for `require`.
    return code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' && !path.endsWith('.js')
  }
}

function missingPackages(parts: readonly Part[]): readonly string[] {
  return parts.map((part) => packages[part]).flatMap((names) => (names.some(isInstalled) ? [] : names.slice(-1)))
}

const allOf = (names: readonly string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' and $1')

export function requirePackages(caller: string, parts: readonly Part[]): void {
  const missing = missingPackages(parts)
  if (missing.length === 0) return
  const names = allOf(missing.map((name) => `\`${name}\``))
  const is = missing.length === 1 ? 'is' : 'are'
  throw new Error(`${caller}: ${names} ${is} not installed. Run \`npm install ${missing.join(' ')}\`.`)
}

/**
 * Returns the names of the packages that `codeMode` needs and that are not installed. If at least one package is missing, `codeMode` throws an error.
 *
 * @param options the option `search` of `codeMode`. Default: no search
 * @example
 * const missing = missingCodeModePackages({ search: true })
 * if (missing.length > 0) console.error(`Run: npm install ${missing.join(' ')}`)
 */
export function missingCodeModePackages({ search = false }: { readonly search?: boolean } = {}): readonly string[] {
  return missingPackages(['checker', 'sandbox', ...(search ? (['search'] as const) : [])])
}

export function requireCodeModePackages(
  caller: string,
  options: { readonly checker?: unknown; readonly sandbox?: unknown; readonly search?: unknown },
): void {
  const { checker, sandbox, search = false } = options
  const parts = { checker: checker === undefined, sandbox: sandbox === undefined, search: search !== false }
  requirePackages(
    caller,
    (['checker', 'sandbox', 'search'] as const).filter((part) => parts[part]),
  )
}
