/// How a query of documents is answered: by one query of the tree, and what it leaves to be tried and sorted.
struct CollectionPlan {
  var query: DatabaseQuery
  var conditions: [FieldCondition]
  /// Empty where the tree's query gives the order.
  var orders: [CollectionQuery.Order]
  /// Nil where the tree's query limits.
  var limit: QueryLimit?
}

extension CollectionQuery {
  func plan() throws(TreeError) -> CollectionPlan {
    if let invalid { throw invalid }
    let base = collection.reference
    guard let field = mainField else {
      return limited(CollectionPlan(query: base.queryOrderedByKey(), conditions: conditions, orders: []))
    }
    let order = orders.first { $0.field == field }
    let isOrdered = orders.isEmpty || (orders.count == 1 && order != nil)
    let own = conditions.filter { $0.field == field }
    let narrowing = own.first { $0.bounds != nil }
    let isDescending = isOrdered && order?.isDescending == true
    let query = base.queryOrdered(byChild: field.description, descending: isDescending).with {
      (parameters) throws(TreeError) in
      // Documents without a field that orders them are left out.
      let everything = (start: QueryBound(value: .null, isInclusive: false), end: QueryBound?.none)
      let (low, high) =
        narrowing?.bounds.map { ($0.start, QueryBound?.some($0.end)) } ?? (order == nil ? (nil, nil) : everything)
      parameters.start = isDescending ? high : low
      parameters.end = isDescending ? low : high
    }
    return limited(
      CollectionPlan(query: query, conditions: conditions.filter { $0 != narrowing }, orders: isOrdered ? [] : orders))
  }

  /// The field that the tree's query is about: what must be equal is the most telling, then what orders.
  private var mainField: Path? {
    conditions.first { $0.equal != nil }?.field ?? orders.first?.field ?? conditions.first { $0.bounds != nil }?.field
  }

  private func limited(_ plan: CollectionPlan) -> CollectionPlan {
    var plan = plan
    if plan.conditions.isEmpty, plan.orders.isEmpty, let limit {
      let count = UInt(limit.count)
      plan.query =
        limit.side == .first ? plan.query.queryLimited(toFirst: count) : plan.query.queryLimited(toLast: count)
    } else {
      plan.limit = limit
    }
    return plan
  }

  /// The answer now, on the calling thread.
  func snapshot() throws -> QuerySnapshot {
    let plan = try plan()
    return try plan.answer(try plan.query.snapshot())
  }
}

extension CollectionPlan {
  /// What is left of what the tree's query has found.
  func answer(_ found: DataSnapshot) throws -> QuerySnapshot {
    var documents: [DataSnapshot] = []
    for document in try found.children where try passes(document) { documents.append(document) }
    if !orders.isEmpty { documents = try sorted(documents) }
    if let limit {
      documents = limit.side == .first ? Array(documents.prefix(limit.count)) : Array(documents.suffix(limit.count))
    }
    return QuerySnapshot(documents: documents.map(DocumentSnapshot.init))
  }

  private func passes(_ document: DataSnapshot) throws -> Bool {
    for condition in conditions {
      var elements: [IndexValue] = []
      if case .contains = condition.test {
        let array = try document.childSnapshot(forPath: condition.field.description)
        elements = try array.children.map { try $0.indexValue(by: .value) }
      }
      let value = try document.indexValue(by: .child(condition.field))
      if !condition.admits(value, elements: elements) { return false }
    }
    return true
  }

  private func sorted(_ documents: [DataSnapshot]) throws -> [DataSnapshot] {
    var keyed: [(document: DataSnapshot, values: [IndexValue])] = []
    for document in documents {
      let values = try orders.map { try document.indexValue(by: .child($0.field)) }
      // Documents without a field that orders them are left out.
      if !values.contains(.null) { keyed.append((document, values)) }
    }
    keyed.sort { left, right in
      for (index, order) in orders.enumerated() {
        switch left.values[index].compared(to: right.values[index]) {
        case .same: continue
        case .ascending: return !order.isDescending
        case .descending: return order.isDescending
        }
      }
      let (first, second) = (left.document.node, right.document.node)
      return orders.last?.isDescending == true ? second < first : first < second
    }
    return keyed.map(\.document)
  }
}
