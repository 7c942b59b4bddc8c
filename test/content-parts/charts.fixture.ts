import {
  type ApprovalRequest,
  approval,
  type ContentPart,
  type HasApproval,
  type ToolsetRegistration,
  tool,
  toolset,
  withContent,
} from '@toolgen/runtime'

/** A PNG of one pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const wav = Buffer.from(`RIFF....WAVEfmt ${'.'.repeat(40)}`).toString('base64')
export const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>').toString('base64')
/** A PNG that exceeds the default size limit for models. */
export const large = Buffer.alloc(3_750_003, 7).toString('base64')

export const pngPart = { type: 'image', mediaType: 'image/png', data: png } as const satisfies ContentPart
export const wavPart = { type: 'audio', mediaType: 'audio/wav', data: wav } as const satisfies ContentPart

/** Text that models read instead of the data of {@link png}. */
export const pngText = '[image 1: image/png, 70 bytes]'

const files: Readonly<Record<string, { readonly mediaType: string; readonly data: string }>> = {
  png: { mediaType: 'image/png', data: png },
  wav: { mediaType: 'audio/x-wav', data: wav },
  svg: { mediaType: 'image/svg+xml', data: svg },
  large: { mediaType: 'image/png', data: large },
}

const parameters = {
  type: 'object',
  properties: { kinds: { type: 'array', items: { enum: Object.keys(files) } } },
  required: ['kinds'],
} as const

/** Tools that draw charts. One returns the image in its result, one in a content part, and one needs an approval. */
export function charts(): ToolsetRegistration<HasApproval> {
  const filesOf = (kinds: readonly string[]) => kinds.flatMap((kind) => files[kind] ?? [])
  const draw = tool({
    name: 'draw',
    description: 'Draws charts.',
    parameters,
    annotations: { readOnly: true },
    run: ({ kinds }: { kinds: string[] }) =>
      withContent({ title: 'Sales', charts: filesOf(kinds).map(({ data }) => data) }, filesOf(kinds)),
  })
  const attach = tool({
    name: 'attach',
    description: 'Attaches charts.',
    parameters,
    run: ({ kinds }: { kinds: string[] }) => withContent({ title: 'Sales' }, filesOf(kinds)),
  })
  const publish = tool({
    name: 'publish',
    description: 'Publishes a chart.',
    parameters: {},
    run: () => withContent({ published: png }, [{ mediaType: 'image/png', data: Buffer.from(png, 'base64') }]),
  })
  return toolset('charts', draw, attach, publish).layer(approval({ when: ({ tool }) => tool.name === 'publish' }))
}

/** Returns an approver with a fixed decision. */
export function deciding(decision: 'approve' | 'suspend'): { readonly env: HasApproval } {
  return { env: { approval: { approve: async (_: ApprovalRequest) => decision } } }
}
