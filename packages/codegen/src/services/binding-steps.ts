import type { ServiceToolIr } from '../ir/uses.js'
import { keyText, stringText } from '../text.js'
import type { ClientError } from './client.js'
import type { Reason } from './reason.js'
import type { BindingFix } from './signature.js'

/** The direction that a mapper of the application converts. */
export type MappedSide = 'payload' | 'update' | 'result'

/** Maximum number of methods that a step lists. */
const maxMethods = 8

/** The next steps after errors of a client, by their code. */
export const clientSteps: Readonly<Record<ClientError['code'], string>> = {
  TG4001: 'Export the client from its module: `export const ordersClient = serviceClient<OrdersClient>()`.',
  TG4002: 'Correct the import or install the package; until then the client type would be read as any.',
  TG4003: 'Make the client type resolve in your project: install the package or its types.',
  TG4004: 'Give the type of your client: `serviceClient<OrdersClient>()`.',
}

/** The next steps of diagnostics about one tool of a use. */
export class BindingSteps {
  readonly #tool: string
  readonly #use: string
  readonly #bound: ServiceToolIr
  /** The file of the type that lacks the method; absent for a type that is put together from others. */
  lackingFile: string | undefined
  /** True when the tool and its method stream. */
  streams = false

  /** @param use the agent's name for the toolset */
  constructor(tool: string, use: string, bound: ServiceToolIr) {
    this.#tool = tool
    this.#use = use
    this.#bound = bound
  }

  /** Returns the path under which an application gives a mapper, as the runtime names it when it is missing. */
  mapperPath(side: MappedSide): string {
    return `toolsets.${this.#use}.mappers.${this.#tool}.${side}`
  }

  /** The next step by the code of a reason. */
  of(reason: Reason, side: MappedSide): string {
    const { code, near, field } = reason
    const mapper = `give \`${this.mapperPath(side)}\` (its type requires it)`
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

  /** Returns the proposal for a missing method: a similar name, or a new or another method. */
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

  fix(fix: BindingFix): string {
    if ('collect' in fix) {
      return fix.collect === 'last'
        ? "The last item fits: write `collect: 'last'` in the use."
        : 'The list of all items fits: leave `collect` out of the use.'
    }
    const { wrapper } = fix
    return wrapper === 'data'
      ? `The result fits under \`.data\`: write ${this.#resultOption({ from: 'data' })} in the use.`
      : `The result fits under \`.${wrapper}\`: give \`${this.mapperPath('result')}\` that takes it out.`
  }

  /** The step for a response that may fit. One item of a stream that does not would end the whole call. */
  checked(side: MappedSide): string {
    const mapper = this.mapperPath(side)
    const option = this.#resultOption({ checked: true })
    if (!this.streams)
      return `Write ${option} in the use, so that the codec decides at run time, or give \`${mapper}\`.`
    const what =
      side === 'update'
        ? 'answers undefined for an item that is not an update'
        : 'takes what belongs to the result out of the stream'
    return `Give \`${mapper}\`, which ${what}. ${option} is for streams of which every item fits: any other ends the call.`
  }

  #resultOption(change: Partial<ServiceToolIr['result']>): string {
    const { from, checked } = { ...this.#bound.result, ...change }
    const parts = [...(from === undefined ? [] : [`from: ${stringText(from)}`]), ...(checked ? ['checked: true'] : [])]
    return `\`result: { ${parts.join(', ')} }\``
  }
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

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
