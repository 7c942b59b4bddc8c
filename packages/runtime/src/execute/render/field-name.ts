import { parsePointer } from '../../codec/json/pointer.js'
import type { Issue } from '../../contract/issue.js'
import { shorten } from './shorten.js'

const LONGEST_NAME = 64

/** The place of an issue as a model reads it: `items[0].sku`; `the arguments` for the root. */
export function fieldName(issue: Issue): string {
  const steps = parsePointer(issue.path) ?? []
  const [first = 'the arguments', ...rest] = steps.map(stepText)
  return shortenStart([first.replace(/^\./, ''), ...rest].join(''))
}

function stepText(step: string): string {
  if (/^(0|[1-9]\d{0,8})$/.test(step)) return `[${step}]`
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(shorten(step, LONGEST_NAME))}]`
}

/** The end of a place tells more than its beginning. */
function shortenStart(text: string): string {
  const characters = [...text]
  return characters.length <= LONGEST_NAME ? text : `…${characters.slice(1 - LONGEST_NAME).join('')}`
}
