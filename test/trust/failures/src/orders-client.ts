import type { ToolFailure } from '@toolgen/runtime'

export interface Order {
  id: string
  status: 'open' | 'shipped' | 'cancelled'
}

export interface OrdersClient {
  getOrder(request: { orderId: string }): Promise<Order>
  cancelOrder(request: { orderId: string }): Promise<Order | ToolFailure>
  changeOrder(request: { orderId: string; address: string }): Promise<Order>
}
