import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { GenerateResult } from '../run/generate-result.js'

/** A note, with the first codecs that are written as JavaScript, that `tsc` leaves them where they are. */
export function scriptCodecsNote({
  output,
  written,
  unchanged,
}: Pick<GenerateResult, 'output' | 'written' | 'unchanged'>): Diagnostic | undefined {
  if (!written.some(isScript) || unchanged.some(isScript)) return undefined
  const [from, to] = [output, `dist/${output.replace(/^src\//, '')}`].map((path) => JSON.stringify(path).slice(1, -1))
  const filter = "filter: (path) => path.endsWith('.ts') === path.endsWith('.d.ts')"
  return {
    code: 'TG5013',
    severity: 'note',
    message: 'Codecs are written as `codecs.js`, which `tsc` does not copy to its `outDir`.',
    next: `If \`tsc\` compiles to \`dist\`, run after it: node -e "require('node:fs').cpSync('${from}', '${to}', { recursive: true, ${filter} })"`,
  }
}

function isScript(path: string): boolean {
  return path.endsWith('/codecs.js')
}
