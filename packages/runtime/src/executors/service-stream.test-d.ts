import type { MethodArgs, MethodItem } from './method-types.js'
import type { Mapper, WrappingMapper } from './service-executor.js'
import type { StreamMappers } from './service-stream.js'
import { serviceStream } from './service-stream.js'

interface Line {
  readonly text: string
  readonly at: Date
}
interface Client {
  tail(path: string): AsyncIterable<Line>
  pages(path: string): Promise<AsyncGenerator<Line, void>>
  body(path: string): Promise<ReadableStream<Line>>
}
interface Payload {
  readonly path: string
}
interface Shown {
  readonly text: string
}
type TailArgs = MethodArgs<Client['tail']>
declare const client: Client
const payload = ({ path }: Payload): TailArgs => [path]

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const items: [
  Equal<MethodItem<Client['tail']>, Line>,
  Equal<MethodItem<Client['pages']>, Line>,
  Equal<MethodItem<Client['body']>, Line>,
] = [true, true, true]
void items

declare const optional: {
  readonly list?: StreamMappers<Payload, TailArgs, Line, Shown, readonly Line[], readonly Shown[]>
  readonly last?: StreamMappers<Payload, TailArgs, Line, Shown, Line, Shown>
}
serviceStream({
  payload,
  call: (args) => client.tail(...args),
  update: (line): Shown => ({ text: line.text }),
  collect: 'list',
  result: (lines): readonly Shown[] => lines.map(({ text }) => ({ text })),
  mappers: optional.list,
})
serviceStream({
  payload,
  call: (args) => client.pages(...args),
  update: (line): Shown => ({ text: line.text }),
  collect: 'last',
  result: (line): Shown => ({ text: line.text }),
  mappers: optional.last,
})

declare const updateRequired: { update: Mapper<Line, Shown | undefined>; result?: WrappingMapper<Line, Shown> }
serviceStream({
  payload,
  call: (args) => client.body(...args),
  collect: 'last',
  result: (line): Shown => ({ text: line.text }),
  mappers: updateRequired,
})

// @ts-expect-error an item is no list of items
serviceStream({
  payload,
  call: (args) => client.tail(...args),
  update: (line: Line): Shown => ({ text: line.text }),
  collect: 'last',
  result: (lines: readonly Line[]): readonly Shown[] => lines,
})

// @ts-expect-error a tool without a transform of its items needs a mapper of them
serviceStream({
  payload,
  call: (args) => client.tail(...args),
  collect: 'last',
  result: (line: Line): Shown => ({ text: line.text }),
})
