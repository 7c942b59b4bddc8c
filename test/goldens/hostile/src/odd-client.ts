/** The service behind the hostile golden. */
export interface OddClient {
  run(request: { 'order-id': string; constructor?: string | undefined }): Promise<{ 'line\nbreak': string }>
  print(text: string): Promise<void>
  send(id: string, text: string): Promise<{ ok: boolean }>
}
