import { simpleRanges } from './character-classes.js'
import { parseSource } from './pattern.js'
import { type PatternNode, UnsupportedPatternError } from './pattern-syntax.js'

const maxExamples = 4

const maxRepetitions = 300

const usualCharacters = ['a', '0', 'A', '-', ' ', '_', '.', 'Z', '\t', '\n']

/**
 * Returns short strings that probably match a simple pattern. The strings differ in their alternatives, characters and repetition counts. Returns
 * an empty array for patterns with look-arounds. The caller must test the strings against the pattern.
 *
 * @example
 * patternExamples('^A-\\d+$')[0] // 'A-0'
 */
export function patternExamples(source: string): readonly string[] {
  let pattern: PatternNode
  let flags: '' | 'u'
  try {
    ;({ pattern, flags } = parseSource(source))
  } catch (error) {
    if (error instanceof UnsupportedPatternError || error instanceof SyntaxError) return []
    throw error
  }

  function character(part: string, choice: number): string | undefined {
    const isListed = part.startsWith('[') && !/^\[\^|\\[dDwWsSpP]/.test(part)
    const ranges = isListed || !part.startsWith('[') ? simpleRanges(part) : undefined
    const [first, ...others] = ranges ?? []
    const isLiteral = first !== undefined && others.length === 0 && first[0] === first[1]
    const matches = new RegExp(`^(?:${part})$`, flags)
    const members =
      ranges !== undefined && (isListed || isLiteral)
        ? ranges.flatMap((range) => [...new Set(range)].map((code) => String.fromCodePoint(code)))
        : usualCharacters.filter((each) => matches.test(each))
    return members[choice % members.length]
  }

  function text(node: PatternNode, choice: number): string | undefined {
    switch (node.kind) {
      case 'character':
        return character(node.source, choice)
      case 'assertion':
        return ''
      case 'look':
        return undefined
      case 'sequence':
        return node.parts.reduce<string | undefined>((whole, part) => join(whole, text(part, choice)), '')
      case 'choice': {
        const { options } = node
        const texts = options.map((_, index) => text(options[(choice + index) % options.length] ?? node, choice))
        return texts.find((each) => each !== undefined)
      }
      case 'repeat': {
        const most = node.most === Number.POSITIVE_INFINITY ? node.least + 2 : node.most
        const times = [node.least, most, Math.min(node.least + 1, most), most][choice] ?? node.least
        return text(node.body, choice)?.repeat(Math.min(maxRepetitions, times))
      }
    }
  }

  const texts = Array.from({ length: maxExamples }, (_, choice) => text(pattern, choice))
  return [...new Set(texts.filter((each) => each !== undefined))]
}

const maxExampleLength = 50_000

function join(start: string | undefined, end: string | undefined): string | undefined {
  if (start === undefined || end === undefined || start.length + end.length > maxExampleLength) return undefined
  return start + end
}
