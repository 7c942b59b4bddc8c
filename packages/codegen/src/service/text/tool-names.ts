/** The identifiers that the executor file gives to what a tool's texts refer to. */
export interface ServiceToolNames {
  /** The client's type: `SupportOrdersClient`. */
  readonly client: string
  /** The payload's type: `GetOrderPayload`. */
  readonly payload: string
  /** The result's type: `GetOrderResult`. */
  readonly result: string
  /** The type of an update: `GetOrderUpdate`; used where the method streams. */
  readonly update: string
  /** What a type of the tool is called after, a legal identifier: `GetOrder`. */
  readonly stem: string
  /** The alias of the tuple of arguments: `GetOrderArgs`. */
  readonly args: string
  /** The alias of what the method answers, `GetOrderAnswer`; of an item where it streams, `TailAnswerItem`. */
  readonly answer: string
}
