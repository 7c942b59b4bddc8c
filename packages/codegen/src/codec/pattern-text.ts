import { stringText } from '../text/literal.js'
import { type CodecScope, typed } from './codec-scope.js'

/**
 * The declaration of a pattern of JSON Schema. The runtime decides how it is matched: not every pattern is safe as a regular
 * expression of JavaScript.
 */
export function patternText(name: string, pattern: string, scope: Pick<CodecScope, 'language' | 'words'>): string {
  const { is } = scope.words
  return `const ${name}${typed(scope, `${is}.Pattern`)} = /* @__PURE__ */ ${is}.pattern(${stringText(pattern)})`
}
