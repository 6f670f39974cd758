package internal

import (
	"fmt"
	"strings"

	"github.com/goccy/go-googlesql"
)

// formatAnd writes a conjunction with its equalities of two columns in SQLite's own words before it: texts and whole numbers
// are equal there exactly where they are equal here, and with them SQLite looks rows of a join up in an index. As functions of
// Go alone, which it cannot look into, it would call them for each pair of rows.
func formatAnd(n *FunctionCallNode, args []string) string {
	all := fmt.Sprintf("googlesqlite_and(%s)", strings.Join(args, ","))
	plain := plainEqualities(n, args)
	if len(plain) == 0 {
		return all
	}
	return fmt.Sprintf("(%s AND %s)", strings.Join(plain, " AND "), all)
}

const equalCall = "googlesqlite_equal("

func plainEqualities(n *FunctionCallNode, args []string) []string {
	var found []string
	for i, arg := range m1(n.node.ArgumentList()) {
		call, isCall := arg.(*googlesql.ResolvedFunctionCall)
		if !isCall || i >= len(args) || !strings.HasPrefix(args[i], equalCall) || !joinsPlainColumns(call) {
			continue
		}
		sides := strings.TrimSuffix(strings.TrimPrefix(args[i], equalCall), ")")
		found = append(found, strings.Replace(sides, ",", " = ", 1))
	}
	return found
}

func joinsPlainColumns(call *googlesql.ResolvedFunctionCall) bool {
	sides := m1(call.ArgumentList())
	for _, side := range sides {
		column, isColumn := side.(*googlesql.ResolvedColumnRef)
		if !isColumn {
			return false
		}
		kind := m1(m1(column.Type()).Kind())
		if kind != googlesql.TypeKindTypeInt64 && kind != googlesql.TypeKindTypeString {
			return false
		}
	}
	return len(sides) == 2
}
