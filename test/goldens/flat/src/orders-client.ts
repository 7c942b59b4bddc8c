/** The service behind the flat golden. */
export interface OrdersClient {
  fetchOrder(request: { orderId: string; verbose: boolean; sessionId: string }): Promise<{
    id: string
    status: 'open' | 'shipped'
    total: number
    secret: string
  }>
  cancelOrder(orderId: string, reason: 'mistake' | 'too late' | undefined): Promise<{ cancelled: boolean }>
  note(text: { body: string }): Promise<{ id: string }>
}
