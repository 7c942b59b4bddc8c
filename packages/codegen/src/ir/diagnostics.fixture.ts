import type { LoadedDesign } from '../load/load-design.js'
import { compileDesign } from './compile-design.js'

export function findings(design: LoadedDesign): readonly string[] {
  return compileDesign(design).diagnostics.map(({ code, location }) => `${code} ${location?.file}`)
}
