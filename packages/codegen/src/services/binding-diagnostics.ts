import process from 'node:process'
import { type Diagnostic, internalErrorText, type Severity, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { ServiceToolIr } from '../ir/uses.js'

import { own } from '../schema/json-schema.js'
import { keyText, stringText } from '../text.js'
import { byGravity, type Judged } from './judgment.js'
import { type BindingPart, isBindingError, type Reason } from './reason.js'
import type { BindingFix } from './signature.js'

/** The direction that a mapper of the application converts. */
export type MappedSide = 'payload' | 'update' | 'result'

/** Maximum numbers of further reasons, of frames of a stack and of methods that a diagnostic lists. */
const maxReasons = 8
const maxFrames = 12
const maxMethods = 8
const maxMessage = 300

/** The diagnostics about one tool of a use. */
export class ToolDiagnostics {
  readonly #tool: string
  readonly #use: string
  readonly #bound: ServiceToolIr
  /** `ordersClient.fetchOrder` */
  readonly #method: string
  /** The file of the type that lacks the method; absent for a type that is put together from others. */
  lackingFile: string | undefined
  /** `signature 2 of 3` */
  signature: string | undefined
  /** The location of the method's declaration. */
  declared: SourceLocation | undefined
  /** True when the tool and its method stream. */
  streams = false

  /** @param use the agent's name for the toolset */
  constructor(tool: string, use: string, bound: ServiceToolIr, clientName: string) {
    this.#tool = tool
    this.#use = use
    this.#bound = bound
    this.#method = `${clientName}.${bound.method}`
  }

  get method(): string {
    return this.#method
  }

  /** Returns the diagnostic of a mistake in the binding itself. */
  mistake(reason: Reason): Diagnostic {
    const diagnostic = this.#diagnostic('error', '', reason, [], this.#step(reason, 'payload'))
    return { ...diagnostic, location: this.#locationOf(reason.part) }
  }

  /** Returns the diagnostics of a verdict: a note where a mapper is needed, a warning for what was accepted without proof. */
  of(side: MappedSide, { verdict, reasons }: Judged<unknown>, fix?: BindingFix): readonly Diagnostic[] {
    const distinct = [...new Map(reasons.map((each) => [`${each.code} ${each.message}`, each])).values()]
    if (verdict.verdict !== 'mapper') {
      const [first, ...others] = distinct
      return first === undefined
        ? []
        : [this.#diagnostic('warning', `in the ${side}, `, first, others, this.#step(first, side))]
    }
    const against = distinct.filter(({ weight }) => weight !== 'note')
    const mistakes = against.filter(isBindingError)
    if (mistakes.length > 0) return mistakes.map((mistake) => this.mistake(mistake))
    const [first, ...others] = byGravity(against)
    const isSoft = side !== 'payload' && against.every(({ weight }) => weight === 'soft')
    const next = fix !== undefined ? this.#fixStep(fix) : isSoft ? this.#checkedStep(side) : this.#step(first, side)
    return [this.#diagnostic('note', `the ${side} needs a mapper: `, first, others, next)]
  }

  /** Returns the diagnostic of an internal error that prevents a comparison: the application must bring the mappers. */
  uncompared(error: unknown): Diagnostic {
    const sides: readonly MappedSide[] = this.streams ? ['payload', 'update', 'result'] : ['payload', 'result']
    const mappers = sides.map((side) => `\`${this.#mapperPath(side)}\``).join(' and ')
    const stack = process.env.TOOLGEN_DEBUG === '1' && error instanceof Error ? (error.stack ?? '').split('\n') : []
    const related = stack.slice(1, 1 + maxFrames).map((frame) => ({ message: frame.trim() }))
    const why = `cannot be compared because of a bug in toolgen: ${internalErrorText(error)}`
    return {
      code: 'TG4303',
      severity: 'warning',
      message: this.#sentence(`the types of \`${this.#method}\` ${why}`),
      location: this.#bound.location,
      next: `Give ${mappers} (their types require them), and please report it with the type of the method; TOOLGEN_DEBUG=1 adds the stack.`,
      ...(related.length > 0 && { related }),
    }
  }

  #diagnostic(severity: Severity, start: string, reason: Reason, others: readonly Reason[], next: string): Diagnostic {
    return {
      code: reason.code,
      severity,
      message: this.#sentence(`${start}${reason.message}`),
      location: this.#bound.location,
      next,
      ...nearOf(reason),
      ...this.#related(others),
    }
  }

  #sentence(text: string): string {
    return capped(`\`${this.#tool}\`: ${capital(text)}`)
  }

  /** Returns the location of a part of the binding; of the whole where the design does not spell the part out. */
  #locationOf(part: BindingPart | undefined): SourceLocation {
    const { location, parts } = this.#bound
    if (part === undefined || parts === undefined) return location
    if (!('entry' in part)) return parts[part.of] ?? location
    return own(parts[part.of], part.entry)?.[part.side] ?? location
  }

  #related(others: readonly Reason[]): Pick<Diagnostic, 'related'> {
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
        : [{ message: capped(`The method is \`${this.#method}\`${signature}`), location: this.declared }]),
    ]
    return related.length === 0 ? {} : { related }
  }

  /** Returns the path under which an application gives a mapper, as the runtime names it when it is missing. */
  #mapperPath(side: MappedSide): string {
    return `toolsets.${this.#use}.mappers.${this.#tool}.${side}`
  }

  /** The next step by the code of a reason. */
  #step(reason: Reason, side: MappedSide): string {
    const { code, near, field } = reason
    const mapper = `give \`${this.#mapperPath(side)}\` (its type requires it)`
    const [nearest] = near ?? []
    const rename = nearest === undefined || field === undefined ? undefined : renameText(field, nearest)
    switch (code) {
      case 'TG4003':
        return 'Make the type resolve in your own project (install the package or its types), or declare a narrower client interface.'
      case 'TG4005':
      case 'TG4006':
        return this.#methodStep(reason)
      case 'TG4007':
        return nearest === undefined
          ? 'Rename a field of the payload to a parameter or field that the method has.'
          : `Did you mean \`${nearest}\`?`
      case 'TG4008':
      case 'TG4009':
        return 'Set a parameter or field that the method has to a value of its type.'
      case 'TG4010':
        return 'Declare a client interface with the signature that you mean and use it as the client type.'
      case 'TG4011':
        return 'Leave it out, or declare `streaming: { updates }` in the tool and name a method that answers with a stream.'
      case 'TG4101':
        return `${capital(sourceSteps(reason))}, or ${mapper}.`
      case 'TG4112':
        return rename === undefined
          ? `Leave the field out of the tool, or ${mapper}.`
          : `Write ${rename} in the use, leave the field out of the tool, or ${mapper}.`
      case 'TG4211':
        return `Declare \`streaming: { updates }\` in the tool, so that items become updates, or ${mapper}.`
      case 'TG4302':
        return rename === undefined
          ? 'Compare the name with what the service documents.'
          : `If \`${nearest}\` is meant, write ${rename} in the use; else compare the name with what the service documents.`
      default:
        return `Change the tool or the client's type, or ${mapper}.`
    }
  }

  /** Another name where one is near, else a new method or one of those that exist. */
  #methodStep({ code, near, allowed = [] }: Reason): string {
    const entry = (method: string): string => `\`tools: { ${keyText(this.#tool)}: { method: ${method} } }\``
    const file = this.lackingFile
    // The type of a package cannot be changed.
    const added =
      code === 'TG4005' && file?.startsWith('node_modules/') !== true
        ? `add the method \`${this.#bound.method}\` to the client type${file === undefined ? '' : ` (${file})`}`
        : undefined
    const [nearest] = near ?? []
    if (nearest !== undefined) {
      return `Write ${entry(stringText(nearest))} in the use, or ${added ?? 'name another method of the client'}.`
    }
    if (allowed.length === 0) {
      return `${capital(added ?? 'give the client type the method')}, or use the type of another client.`
    }
    const more = allowed.length > maxMethods ? ` and ${allowed.length - maxMethods} more` : ''
    const methods = allowed.slice(0, maxMethods).map((name) => `\`${name}\``)
    const named = `name one that there is in the use, ${entry('...')}: ${methods.join(', ')}${more}`
    return `${capital(added === undefined ? named : `${added}, or ${named}`)}.`
  }

  #fixStep(fix: BindingFix): string {
    if ('collect' in fix) {
      return fix.collect === 'last'
        ? "The last item fits: write `collect: 'last'` in the use."
        : 'The list of all items fits: leave `collect` out of the use.'
    }
    const { wrapper } = fix
    return wrapper === 'data'
      ? `The result fits under \`.data\`: write ${this.#resultOption({ from: 'data' })} in the use.`
      : `The result fits under \`.${wrapper}\`: give \`${this.#mapperPath('result')}\` that takes it out.`
  }

  /** The step for a response that may fit. One item of a stream that does not would end the whole call. */
  #checkedStep(side: MappedSide): string {
    const mapper = this.#mapperPath(side)
    const option = this.#resultOption({ checked: true })
    if (!this.streams)
      return `Write ${option} in the use, so that the codec decides at run time, or give \`${mapper}\`.`
    const what =
      side === 'update'
        ? 'answers undefined for an item that is not an update'
        : 'takes what belongs to the result out of the stream'
    return `Give \`${mapper}\`, which ${what}. ${option} is for streams of which every item fits: any other ends the call.`
  }

  /** Returns the design's option for the result with a change. */
  #resultOption(change: Partial<ServiceToolIr['result']>): string {
    const { from, checked } = { ...this.#bound.result, ...change }
    const parts = [...(from === undefined ? [] : [`from: ${stringText(from)}`]), ...(checked ? ['checked: true'] : [])]
    return `\`result: { ${parts.join(', ')} }\``
  }
}

function nearOf({ near }: Reason): Pick<Diagnostic, 'near'> {
  return near?.length ? { near } : {}
}

/** The sources of a required parameter or field: a field of the payload, or a constant where few values are possible. */
function sourceSteps({ field, setTo, near }: Reason): string {
  if (field === undefined) return 'declare a field for it in the payload of the tool'
  const [nearest] = near ?? []
  const source =
    nearest === undefined
      ? `declare a field \`${field}\` in the payload of the tool`
      : `write ${renameText(nearest, field)} in the use`
  return setTo === undefined ? source : `${source}, set it with \`constants: { ${keyText(field)}: ${setTo} }\``
}

function renameText(from: string, to: string): string {
  return `\`rename: { ${keyText(from)}: ${stringText(to)} }\``
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Ends a text with a full stop, or with three where it is too long. */
function capped(text: string): string {
  return text.length < maxMessage ? `${text}.` : `${text.slice(0, maxMessage - 3)}...`
}
