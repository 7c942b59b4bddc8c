import { internalErrorText, type Severity, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { BindingDiagnostic } from './binding-place.js'
import { BindingSteps, capital, type MappedSide } from './binding-steps.js'
import { byGravity, type Judged } from './judgment.js'
import type { BindingOptions } from './plan.js'
import { isBindingError, type Reason } from './reason.js'
import type { BindingFix } from './signature.js'

const maxReasons = 8
const maxFrames = 12
const maxMessage = 300

export class ToolDiagnostics {
  readonly #tool: string
  readonly steps: BindingSteps
  readonly #method: string
  signature: string | undefined
  declared: SourceLocation | undefined

  constructor(tool: string, use: string, bound: BindingOptions, clientName: string) {
    this.#tool = tool
    this.steps = new BindingSteps(tool, use, bound)
    this.#method = `${clientName}.${bound.method}`
  }

  get method(): string {
    return this.#method
  }

  mistake(reason: Reason): BindingDiagnostic {
    const diagnostic = this.#diagnostic('error', '', reason, [], this.steps.of(reason, 'payload'))
    return { ...diagnostic, location: { place: reason.part ?? 'tool' } }
  }

  /** A warning means that TypeScript accepts a type that proves nothing, such as `any`. */
  of(side: MappedSide, { verdict, reasons }: Judged<unknown>, fix?: BindingFix): readonly BindingDiagnostic[] {
    const distinct = [...new Map(reasons.map((each) => [`${each.code} ${each.message}`, each])).values()]
    if (verdict.verdict !== 'mapper') {
      const [first, ...others] = distinct
      return first === undefined
        ? []
        : [this.#diagnostic('warning', `in the ${side}, `, first, others, this.steps.of(first, side))]
    }
    const against = distinct.filter(({ weight }) => weight !== 'note')
    const mistakes = against.filter(isBindingError)
    if (mistakes.length > 0) return mistakes.map((mistake) => this.mistake(mistake))
    const [first, ...others] = byGravity(against)
    const isSoft = side !== 'payload' && against.every(({ weight }) => weight === 'soft')
    const next =
      fix !== undefined ? this.steps.fix(fix) : isSoft ? this.steps.checked(side) : this.steps.of(first, side)
    const needed = this.#diagnostic('note', `the ${side} needs a mapper: `, first, others, next)
    return [{ ...needed, mapper: this.steps.mapperPath(side) }]
  }

  uncompared(error: unknown): BindingDiagnostic {
    const sides: readonly MappedSide[] = this.steps.streams ? ['payload', 'update', 'result'] : ['payload', 'result']
    const mappers = sides.map((side) => `\`${this.steps.mapperPath(side)}\``).join(' and ')
    const stack = process.env.TOOLGEN_DEBUG === '1' && error instanceof Error ? (error.stack ?? '').split('\n') : []
    const related = stack.slice(1, 1 + maxFrames).map((frame) => ({ message: frame.trim() }))
    const why = `cannot be compared because of a bug in toolgen: ${internalErrorText(error)}`
    return {
      code: 'TG4303',
      severity: 'warning',
      message: this.#sentence(`the types of \`${this.#method}\` ${why}`),
      location: { place: 'tool' },
      next: `Provide ${mappers} (their types require them). Report the bug with the type of the method and the stack that TOOLGEN_DEBUG=1 adds.`,
      ...(related.length > 0 && { related }),
    }
  }

  #diagnostic(
    severity: Severity,
    start: string,
    reason: Reason,
    others: readonly Reason[],
    next: string,
  ): BindingDiagnostic {
    return {
      code: reason.code,
      severity,
      message: this.#sentence(`${start}${reason.message}`),
      location: { place: 'tool' },
      next,
      ...nearOf(reason),
      ...this.#related(others),
    }
  }

  #sentence(text: string): string {
    return capped(`\`${this.#tool}\`: ${capital(text)}`)
  }

  #related(others: readonly Reason[]): Pick<BindingDiagnostic, 'related'> {
    const shown = others.slice(0, maxReasons).map(({ code, message, near }) => {
      const nearest = near?.length ? `; nearest: ${near.map((name) => `\`${name}\``).join(', ')}` : ''
      return { message: capped(`${code}: ${capital(message)}${nearest}`) }
    })
    const more = others.length - shown.length
    const signature = this.signature === undefined ? '' : `, ${this.signature}`
    const related = [
      ...shown,
      ...(more > 0 ? [{ message: `And ${more} more.` }] : []),
      ...(this.declared === undefined
        ? []
        : [{ message: capped(`The method \`${this.#method}\`${signature}`), location: this.declared }]),
    ]
    return related.length === 0 ? {} : { related }
  }
}

function nearOf({ near }: Reason): Pick<BindingDiagnostic, 'near'> {
  return near?.length ? { near } : {}
}

function capped(text: string): string {
  return text.length < maxMessage ? `${text}.` : `${text.slice(0, maxMessage - 3)}...`
}
