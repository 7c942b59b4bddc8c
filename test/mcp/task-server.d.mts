type Fields = Readonly<Record<string, any>>

/** Damage of a response: a status with headers, or a lost connection. */
export interface Fault {
  readonly fault: 'lost' | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
}

export interface TaskServerOptions {
  /** `false`: the server does not declare the extension. */
  readonly hasTasks?: boolean
}

export class TaskServer {
  constructor(options?: TaskServerOptions)
  readonly requests: readonly { readonly method: string; readonly params: any }[]
  readonly tasks: Record<string, unknown>
  answer(method: string, params?: Fields): Fields | Fault | undefined
}

export function text(value: unknown): Fields
export function working(statusMessage?: string): Fields
export function completed(result: Fields): Fields
export function question(field: string, type?: string): Fields
export function asking(inputRequests: Fields): Fields
