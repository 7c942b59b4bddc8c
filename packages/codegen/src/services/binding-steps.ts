import { keyText, stringText } from '../text.js'
import type { ClientError } from './client.js'
import type { BindingOptions } from './plan.js'
import type { Reason } from './reason.js'
import type { BindingFix } from './signature.js'

export type MappedSide = 'payload' | 'update' | 'result'

const maxMethods = 8

export const clientSteps: Readonly<Record<ClientError['code'], string>> = {
  TG4001: 'Export the client from its module: `export const ordersClient = serviceClient<OrdersClient>()`.',
  TG4002: 'Correct the import, or install the package. Otherwise the client type is `any`.',
  TG4003: 'Make the client type resolve in your project: install the package or its types.',
  TG4004:
    'Add the type of your client: `serviceClient<OrdersClient>()`, or `serviceClient<typeof client>()` for an object.',
  TG4012: 'Correct the syntax of this file.',
}

export class BindingSteps {
  readonly #tool: string
  readonly #use: string
  readonly #bound: BindingOptions
  /**
   * File that declares the client type, if the type lacks the method. `undefined` if the type has no declaration, such as an intersection of types.
   */
  lackingFile: string | undefined
  streams = false

  constructor(tool: string, use: string, bound: BindingOptions) {
    this.#tool = tool
    this.#use = use
    this.#bound = bound
  }

  /** The runtime's error about a missing mapper contains the same path. */
  mapperPath(side: MappedSide): string {
    return `toolsets.${this.#use}.mappers.${this.#tool}.${side}`
  }

  of(reason: Reason, side: MappedSide): string {
    const { code, near, field } = reason
    const mapper = `pass the mapper \`${this.mapperPath(side)}\` when you register the agent`
    const [nearest] = near ?? []
    const rename =
      nearest === undefined || field === undefined ? undefined : this.#entry('rename', field, stringText(nearest))
    switch (code) {
      case 'TG4003':
        return 'Make the type resolve in your own project (install the package or its types), or declare a narrower client interface.'
      case 'TG4005':
      case 'TG4006':
        return this.#methodStep(reason)
      case 'TG4007':
        return nearest === undefined
          ? 'Rename a payload field to an existing parameter or field of the method.'
          : `Did you mean \`${nearest}\`?`
      case 'TG4008':
      case 'TG4009':
        return 'Set an existing parameter or field of the method to a value of its type.'
      case 'TG4010':
        return 'Declare a client interface with the intended signature, and use it as the client type.'
      case 'TG4011':
        return 'Remove `collect`, or declare `streaming: { updates }` in the tool and use a method that returns a stream.'
      case 'TG4101':
        return `${capital(this.#sourceSteps(reason))}, or ${mapper}.`
      case 'TG4112':
        return rename === undefined
          ? `Remove the field from the tool, or ${mapper}.`
          : `Add ${rename} to \`fromService\`, remove the field from the tool, or ${mapper}.`
      case 'TG4211':
        return `Declare \`streaming: { updates }\` in the tool, so that items become updates, or ${mapper}.`
      case 'TG4302':
        return rename === undefined
          ? 'Compare the name with the documentation of the service.'
          : `If you mean \`${nearest}\`, add ${rename} to \`fromService\`. Otherwise compare the name with the documentation of the service.`
      default:
        return `Change the tool or the client's type, or ${mapper}.`
    }
  }

  #methodStep({ code, near, allowed = [] }: Reason): string {
    const entry = (method: string): string => this.#option(`method: ${method}`)
    const file = this.lackingFile
    // The type of an installed package cannot be changed.
    const added =
      code === 'TG4005' && file?.startsWith('node_modules/') !== true
        ? `add the method \`${this.#bound.method}\` to the client type${file === undefined ? '' : ` (${file})`}`
        : undefined
    const [nearest] = near ?? []
    if (nearest !== undefined) {
      return `Add ${entry(stringText(nearest))} to \`fromService\`, or ${added ?? 'use another method of the client'}.`
    }
    if (allowed.length === 0) {
      return `${capital(added ?? 'add the method to the client type')}, or use the type of another client.`
    }
    const more = allowed.length > maxMethods ? ` and ${allowed.length - maxMethods} more` : ''
    const methods = allowed.slice(0, maxMethods).map((name) => `\`${name}\``)
    const named = `select an existing method with ${entry('...')} in \`fromService\`: ${methods.join(', ')}${more}`
    return `${capital(added === undefined ? named : `${added}, or ${named}`)}.`
  }

  fix(fix: BindingFix): string {
    if ('collect' in fix) {
      return fix.collect === 'last'
        ? `The last item matches: add ${this.#option("collect: 'last'")} to \`fromService\`.`
        : `The array of all items matches: remove \`collect\` from \`tools.${this.#tool}\` in \`fromService\`.`
    }
    const { wrapper } = fix
    return wrapper === 'data'
      ? `The property \`.data\` matches the result: add ${this.#resultOption({ from: 'data' })} to \`fromService\`.`
      : `The property \`.${wrapper}\` matches the result: provide the mapper \`${this.mapperPath('result')}\` that returns it.`
  }

  checked(side: MappedSide): string {
    const mapper = this.mapperPath(side)
    const option = this.#resultOption({ checked: true })
    if (!this.streams)
      return `Add ${option} to \`fromService\` to validate the response at run time, or provide the mapper \`${mapper}\`.`
    const what =
      side === 'update' ? 'returns undefined for an item that is not an update' : 'selects the items of the result'
    return `Provide the mapper \`${mapper}\`, which ${what}. With ${option}, an item that does not match ends the call.`
  }

  #resultOption(change: Partial<BindingOptions['result']>): string {
    const { from, checked } = { ...this.#bound.result, ...change }
    const parts = [...(from === undefined ? [] : [`from: ${stringText(from)}`]), ...(checked ? ['checked: true'] : [])]
    return this.#option(`result: { ${parts.join(', ')} }`)
  }

  #sourceSteps({ field, setTo, near }: Reason): string {
    if (field === undefined) return 'add the missing field to the payload of the tool'
    const [nearest] = near ?? []
    const source =
      nearest === undefined
        ? `add a field \`${field}\` to the payload of the tool`
        : `add ${this.#entry('rename', nearest, stringText(field))} to \`fromService\``
    return setTo === undefined ? source : `${source}, set it with ${this.#entry('constants', field, setTo)}`
  }

  #entry(option: 'rename' | 'constants', name: string, value: string): string {
    return this.#option(`${option}: { ${keyText(name)}: ${value} }`)
  }

  #option(code: string): string {
    return `\`tools: { ${keyText(this.#tool)}: { ${code} } }\``
  }
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
